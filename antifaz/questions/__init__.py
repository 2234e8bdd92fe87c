"""Questions: counts, sums, means, variances, quantiles and histograms of a table under differential privacy.

The steward declares what questions may use (`declarations`); nothing is read from the data. A question (`question`) is
checked against the declarations, its noise is planned without the data (`plan`), and it is answered in whole numbers
(`answers`).
"""
