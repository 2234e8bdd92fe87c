"""Mutants of the verifier's checks of tables: classes, diversity, closeness. See `tests.oracles.mutants`.

The first six are common bugs of a verifier of k: more than k instead of at least k, the largest class
instead of the smallest, a forgotten quasi-identifier, an empty release that is accepted, the average class, labels that
are normalized before they are compared.
"""

from tests.oracles.mutants import Mutant, either, mutant

MODELS = "evidence/models.py"
CLASSES = "people/classes.py"
EVIDENCE = "evidence/evidence.py"
CHECK = "check.py"
TABLES = "readers/tables.py"
CLOSENESS = "people/closeness.py"
SENSITIVE = "people/sensitive.py"
PARQUET = "readers/parquet.py"
COLUMNS = "readers/columns.py"
CELLS = "readers/cells.py"
PARTS = "evidence/release_parts.py"
FOLDING = "verdict/folding.py"
NOTATIONS = "verdict/notations.py"

TABLE_MUTANTS: list[Mutant] = [
    either(
        mutant("k is not enough", "k_anonymity", CLASSES, 'reached < guarantee["k"]', 'reached <= guarantee["k"]'),
        mutant("k is not enough", "k_anonymity", CLASSES, 'smallest >= guarantee["k"]', 'smallest > guarantee["k"]'),
    ),
    mutant("the largest class", "k_anonymity", MODELS, "int(classes.sizes.min())", "int(classes.sizes.max())"),
    mutant(
        "a quasi-identifier is forgotten",
        "k_anonymity",
        EVIDENCE,
        "_classes_of(cells, quasi_identifiers(self.policy))",
        "_classes_of(cells, quasi_identifiers(self.policy)[1:])",
    ),
    Mutant(
        "an empty release is let through",
        ("k_anonymity",),
        (
            (PARTS, "if any(not cells.rows for cells in tables):", "if not len(tables):"),
            (COLUMNS, "if not cells.rows:", "if cells.rows < 0:"),
            (
                MODELS,
                "    if not classes.count:\n        return 0\n    if units",
                "    if not classes.count:\n        return 99\n    if units",
            ),
        ),
    ),
    mutant("the average class", "k_anonymity", MODELS, "int(classes.sizes.min())", "round(classes.sizes.mean())"),
    mutant(
        "labels are trimmed",
        "k_anonymity",
        TABLES,
        "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))",
        "return encoded(np.concatenate(chunks).astype(np.int64), [t.strip() for t in texts], TEXT * len(texts))",
    ),
    mutant(
        "upper and lower case are one",
        "k_anonymity",
        TABLES,
        "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))",
        "return encoded(np.concatenate(chunks).astype(np.int64), [t.lower() for t in texts], TEXT * len(texts))",
    ),
    mutant(
        "nothing and the empty text are one",
        "k_anonymity",
        PARQUET,
        'return encoded(codes, [*labels, ""], kind * len(labels) + NOTHING)',
        'return encoded(codes, [*labels, ""], kind * (len(labels) + 1))',
    ),
    mutant(
        "zeros at the end of a number do not count",
        "t_closeness equal",
        CELLS,
        "    return cell if isinstance(cell, tuple) else (TEXT, cell)",
        '    return (TEXT, cell[1].rstrip("0")) if isinstance(cell, tuple) else (TEXT, cell)',
    ),
    mutant(
        "only the first format is read",
        "k_anonymity",
        EVIDENCE,
        "for cells in self.tables]",
        "for cells in self.tables[:1]]",
    ),
    mutant(
        "rows instead of persons",
        "k_anonymity of persons",
        MODELS,
        "    if units is None:",
        "    if units is None or True:",
    ),
    mutant(
        "persons are mixed up",
        "k_anonymity of persons",
        MODELS,
        "bound = np.int64(persons.max() + 1)",
        "bound = np.int64(persons.max())",
    ),
    mutant(
        "only the lower bound is looked at",
        "k_anonymity in bounds",
        COLUMNS,
        'return f"{name}_min", f"{name}_max"',
        'return (f"{name}_min",)',
    ),
    mutant("identifiers may stay", "k_anonymity in bad form", COLUMNS, "if name in expected:", "if True:"),
    mutant(
        "a missing column is not missed",
        "k_anonymity in bad form",
        COLUMNS,
        "for name in expected if name not in cells.names]",
        "for name in expected[:-1] if name not in cells.names]",
    ),
    mutant(
        "formats may differ",
        "k_anonymity in bad form",
        PARTS,
        "[] if same_rows(tables, in_order) else",
        "[] if True else",
    ),
    mutant(
        "formulas may run",
        "k_anonymity in bad form",
        COLUMNS,
        'if cells.format != "csv":\n        return []',
        'if cells.format == "csv":\n        return []',
    ),
    mutant(
        "other parts may come along",
        "k_anonymity in bad form",
        CHECK,
        'faults = foreign_parts(artifacts, ("table",))',
        "faults: list[str] = []",
    ),
    mutant(
        "the most distinct values",
        "l_diversity distinct",
        MODELS,
        "int(np.bincount(tallies.class_of).min())",
        "int(np.bincount(tallies.class_of).max())",
    ),
    mutant(
        "l is not enough",
        "l_diversity distinct",
        CLASSES,
        "    reached = distinct_l(tallies)\n    return reached, reached >= required",
        "    reached = distinct_l(tallies)\n    return reached, reached > required",
    ),
    mutant(
        "the highest entropy",
        "l_diversity entropy",
        MODELS,
        "math.exp(float(entropies.min()))",
        "math.exp(float(entropies.max()))",
    ),
    mutant(
        "entropy without weights",
        "l_diversity entropy",
        MODELS,
        "tallies.counts * np.log(tallies.counts)",
        "np.log(tallies.counts)",
    ),
    mutant(
        "entropy must exceed l",
        "l_diversity entropy",
        MODELS,
        "** size >= required.numerator**size",
        "** size > required.numerator**size",
    ),
    mutant("entropy in doubt passes", "l_diversity entropy", MODELS, "(gaps > -_DOUBT).all()", "(gaps > -0.1).all()"),
    mutant(
        "at most c times",
        "l_diversity recursive",
        MODELS,
        "most[place]) * c.denominator < c.numerator",
        "most[place]) * c.denominator <= c.numerator",
    ),
    mutant(
        "the tail begins late",
        "l_diversity recursive",
        MODELS,
        "(running - tallies.counts - before[position])",
        "(running - before[position])",
    ),
    mutant(
        "the rarest value first",
        "l_diversity recursive",
        MODELS,
        "np.lexsort((-counts, class_of))",
        "np.lexsort((counts, class_of))",
    ),
    mutant("the best class", "l_diversity recursive", MODELS, "tallies.starts).min())", "tallies.starts).max())"),
    mutant(
        "t must not be reached",
        "t_closeness equal",
        CLOSENESS,
        "decide(int(number)) <= bound",
        "decide(int(number)) < bound",
    ),
    mutant(
        "the nearest class",
        "t_closeness equal",
        CLOSENESS,
        "float(distances.max()), holds",
        "float(distances.min()), holds",
    ),
    mutant(
        "distances are halved",
        "t_closeness equal",
        CLOSENESS,
        "weights=np.maximum(excess, 0.0), minlength",
        "weights=np.maximum(excess, 0.0) / 2, minlength",
    ),
    mutant(
        "ranks over the number of values",
        "t_closeness ordered",
        CLOSENESS,
        ".sum(axis=1) / (values - 1)",
        ".sum(axis=1) / values",
    ),
    mutant(
        "an exact distance is not normalized",
        "t_closeness ordered",
        CLOSENESS,
        "Fraction(moved, size * counted.rows * (values - 1))",
        "Fraction(moved, size * counted.rows * values)",
    ),
    mutant(
        "numbers are ordered as texts",
        "t_closeness ordered",
        SENSITIVE,
        "keys = {text: Fraction(text) for text in known}",
        "keys = {text: text for text in known}",
    ),
    mutant(
        "the stated order is not used",
        "t_closeness ordered",
        SENSITIVE,
        'if settings.get("order") is not None:',
        'if settings.get("order") == []:',
    ),
    mutant(
        "the missing value is in the middle",
        "t_closeness ordered",
        SENSITIVE,
        "start=1 if missing else 0",
        "start=0",
    ),
    mutant(
        "spellings are values",
        "l_diversity distinct",
        CLASSES,
        "tally(classes, numbers[values.codes], len(numbers))",
        "tally(classes, values.codes, len(values.texts))",
    ),
    mutant(
        "upper and lower case are two values",
        "l_diversity entropy",
        FOLDING,
        "return visible.casefold()",
        "return visible",
    ),
    mutant(
        "a number has one notation",
        "l_diversity recursive",
        NOTATIONS,
        "{*_amounts(read), *_times(read)}",
        "{*_times(read)}",
    ),
    mutant(
        "a time has one notation",
        "alpha_k",
        NOTATIONS,
        "{*_amounts(read), *_times(read)}",
        "{*_amounts(read)}",
    ),
    mutant(
        "the mark of a csv cell is part of the value",
        "l_diversity distinct",
        FOLDING,
        'text[1:] if text[:1] == "\'" and text[1:2] in _RUNNABLE else text',
        "text",
    ),
    mutant(
        "a class is compared by its spellings alone",
        "beta_likeness enhanced",
        SENSITIVE,
        "return [spelled] if len(folded.texts) == len(spelled.texts) else [spelled, folded]",
        "return [spelled]",
    ),
    mutant(
        "a class is compared by its values alone",
        "t_closeness equal",
        SENSITIVE,
        "return [spelled] if len(folded.texts) == len(spelled.texts) else [spelled, folded]",
        "return [folded]",
    ),
    mutant(
        "a value stands where its last spelling does",
        "t_closeness hierarchical",
        SENSITIVE,
        "        first.setdefault(number, text)",
        "        first[number] = text",
    ),
    mutant(
        "a value ranks as its last spelling does",
        "t_closeness ordered",
        SENSITIVE,
        "least[number] = min(",
        "least[number] = max(",
    ),
    mutant(
        "every level costs the same",
        "t_closeness hierarchical",
        CLOSENESS,
        "distances += level / height *",
        "distances += 1 / height *",
    ),
    mutant(
        "an exact tree is flat",
        "t_closeness hierarchical",
        CLOSENESS,
        "Fraction(level, height) * _moved",
        "Fraction(1) * _moved",
    ),
    mutant(
        "what leaves a group is forgotten",
        "t_closeness hierarchical",
        CLOSENESS,
        "moved = np.minimum(surplus, surplus - _excess(above))",
        "moved = surplus",
    ),
    mutant("k is forgotten", "alpha_k", SENSITIVE, 'if smallest >= guarantee["k"] else', "if smallest else"),
    mutant(
        "a share of the release",
        "alpha_k",
        CLOSENESS,
        "    shares = counted.counts / counted.sizes[counted.class_of]\n\n    def decide",
        "    shares = counted.counts / counted.rows\n\n    def decide",
    ),
    mutant(
        "gain against the class",
        "beta_likeness basic",
        CLOSENESS,
        "_excess(counted) / reference",
        "_excess(counted) / np.maximum(reference, _excess(counted))",
    ),
    mutant(
        "gain is not relative",
        "beta_likeness basic",
        CLOSENESS,
        "gains = np.asarray(_excess(counted) / reference",
        "gains = np.asarray(_excess(counted)",
    ),
    mutant(
        "beta alone",
        "beta_likeness enhanced",
        CLOSENESS,
        "limits = np.minimum(float(bound), -np.log(reference))",
        "limits = np.full(len(reference), float(bound))",
    ),
    mutant(
        "content alone",
        "beta_likeness enhanced",
        CLOSENESS,
        "limits = np.minimum(float(bound), -np.log(reference))",
        "limits = -np.log(reference)",
    ),
    mutant(
        "content to another base", "beta_likeness enhanced", CLOSENESS, "-np.log(reference))", "-np.log2(reference))"
    ),
]
