"""Questions: counts, sums, means, variances, quantiles and histograms of a table under differential privacy.

What may be asked about is declared (`declarations`), never read off the data. A question (`question`) is checked
against the declarations; its noise is planned without the data (`plan`), and it is answered in whole numbers
(`answers`).
"""
