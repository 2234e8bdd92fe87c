"""Mistakes of the gate and those that leak."""

from bench.mistakes.mistake import Mistake

_STRICTNESS = "tests/gate/test_strictness.py::"
_ORDER = "tests/leaks/test_order.py::"
_METADATA = "tests/leaks/test_metadata.py::"
_ERRORS = "tests/leaks/test_errors.py::"
_SAME_ROWS = 'return [] if same_rows(tables, in_order) else ["the artifacts of one part show different rows"]'
_TEXTS = "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))"
_CODED = "return encoded(np.concatenate(chunks).astype(np.int64), {}, TEXT * len(texts))"
_SHUFFLE = "order = rng.permutation(len(protected.records))"
_RENAME = "structure.renamed(rng.permutation(structure.graph.n))"
_BARE = "write_statistics=False, store_schema=False"
_FIXED_ROWS = "order = np.random.default_rng(1).permutation(len(protected.records))"
_FIXED_NODES = "structure.renamed(np.random.default_rng(1).permutation(structure.graph.n))"
_TURNED = "order = np.roll(np.arange(len(protected.records)), rng.integers(len(protected.records)))"
_HIDDEN = 'detail, location = fault["msg"].removeprefix("Value error, "), fault["loc"]'
_SHOWN = 'detail, location = fault["msg"] + str(data), fault["loc"]'
_VERIFIER_SHARES = 'forbidden_modules = ["antifaz", "api_schemas", "formats", "metadata", "storage",'

GATE_AND_LEAKS: list[Mistake] = [
    # The gate: what the verifier is satisfied by
    Mistake(
        "one less than k is enough",
        "verifier/people/classes.py",
        'reached < guarantee["k"]',
        'reached < guarantee["k"] - 1',
        _STRICTNESS + "test_a_policy_with_a_larger_k_refuses_the_same_bytes",
    ),
    Mistake(
        "the largest class counts",
        "verifier/evidence/models.py",
        "return int(classes.sizes.min())",
        "return int(classes.sizes.max())",
        _STRICTNESS + "test_the_verifier_accepts_exactly_up_to_what_brute_force_counts",
    ),
    Mistake(
        "the average class counts",
        "verifier/evidence/models.py",
        "return int(classes.sizes.min())",
        "return round(float(classes.sizes.mean()))",
        _STRICTNESS + "test_every_single_change_of_a_tight_release_is_noticed",
    ),
    Mistake(
        "the number of rows is k",
        "verifier/evidence/models.py",
        "return int(classes.sizes.min())",
        "return int(classes.sizes.sum())",
        _STRICTNESS + "test_three_people_who_are_alike_in_nothing_do_not_pass_for_two",
    ),
    Mistake(
        "labels are trimmed",
        "verifier/readers/tables.py",
        _TEXTS,
        _CODED.format("[text.strip() for text in texts]"),
        _STRICTNESS + "test_labels_are_compared_as_they_are",
    ),
    Mistake(
        "a missing value is a wildcard",
        "verifier/readers/tables.py",
        _TEXTS,
        _CODED.format("[text or max(texts) for text in texts]"),
        _STRICTNESS + "test_a_missing_value_is_a_value_and_no_wildcard",
    ),
    Mistake(
        "rows are counted for people",
        "verifier/evidence/evidence.py",
        "    if not by_person:\n",
        "    if by_person is not None:\n",
        _STRICTNESS + "test_five_rows_of_one_person_are_one_person",
    ),
    Mistake(
        "the most diverse class counts",
        "verifier/evidence/models.py",
        "return int(np.bincount(tallies.class_of).min())",
        "return int(np.bincount(tallies.class_of).max())",
        _STRICTNESS + "test_a_homogeneous_class_is_not_diverse_however_diverse_the_table_is",
    ),
    Mistake(
        "formats need not agree",
        "verifier/evidence/release_parts.py",
        _SAME_ROWS,
        "return []",
        _STRICTNESS + "test_formats_that_disagree_are_no_release",
    ),
    Mistake(
        "the verifier borrows from the engine",
        "verifier/verdict/exact.py",
        "import math\n",
        "import math\n\nimport antifaz.errors  # noqa: F401\n",
        _STRICTNESS + "test_the_verifier_imports_nothing_but_itself_the_standard_library_numpy_and_pyarrow",
    ),
    Mistake(
        "the contract lets the verifier borrow",
        "pyproject.toml",
        _VERIFIER_SHARES,
        'forbidden_modules = ["api_schemas", "formats", "metadata", "storage",',
        _STRICTNESS + "test_a_contract_forbids_the_verifier_to_import_what_it_verifies",
    ),
    # Leaks: order, names, metadata, errors
    Mistake(
        "rows keep their order",
        "antifaz/kinds/table.py",
        _SHUFFLE,
        "order = np.arange(len(protected.records))",
        _ORDER + "test_rows_that_are_released_as_they_are_come_in_another_order",
    ),
    Mistake(
        "rows keep their order but for where they begin",
        "antifaz/kinds/table.py",
        _SHUFFLE,
        _TURNED,
        _ORDER + "test_rows_that_are_released_as_they_are_come_in_another_order",
    ),
    Mistake(
        "rows keep their order where some were left out",
        "antifaz/kinds/table.py",
        _SHUFFLE,
        _SHUFFLE + " if in_order else np.arange(len(protected.records))",
        _ORDER + "test_rows_that_are_left_after_others_were_left_out_come_in_another_order",
    ),
    Mistake(
        "rows are shuffled alike each time",
        "antifaz/kinds/table.py",
        _SHUFFLE,
        _FIXED_ROWS,
        _ORDER + "test_two_releases_of_the_same_rows_come_in_different_orders",
    ),
    Mistake(
        "nodes keep their names",
        "antifaz/kinds/graph.py",
        _RENAME,
        "structure.renamed(np.arange(structure.graph.n))",
        _ORDER + "test_the_names_of_a_paths_nodes_tell_nothing_of_their_places",
    ),
    Mistake(
        "nodes are renamed alike each time",
        "antifaz/kinds/graph.py",
        _RENAME,
        _FIXED_NODES,
        _ORDER + "test_two_releases_of_the_same_path_have_different_names",
    ),
    Mistake(
        "edges keep their order",
        "antifaz/graphs/graph.py",
        "return Graph(self.n, np.sort(self._renamed_keys(new_names)), self.directed)",
        "return Graph(self.n, self._renamed_keys(new_names), self.directed)",
        _ORDER + "test_edges_come_in_the_order_of_their_new_names",
    ),
    Mistake(
        "the last node is not listed",
        "formats/writing.py",
        "[node_cells(RESERVED, n), ",
        "[node_cells(RESERVED, n - 1), ",
        _ORDER + "test_every_node_is_listed_also_those_without_edges",
    ),
    Mistake(
        "parquet has statistics",
        "formats/tables/parquet.py",
        _BARE,
        "write_statistics=True, store_schema=False",
        _METADATA + "test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone",
    ),
    Mistake(
        "parquet has a schema of Arrow's",
        "formats/tables/parquet.py",
        _BARE,
        "write_statistics=False, store_schema=True",
        _METADATA + "test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone",
    ),
    Mistake(
        "parquet says which library wrote it",
        "formats/tables/parquet.py",
        "return footer.replace(_ARROW_AUTHOR, _AUTHOR.ljust(len(_ARROW_AUTHOR)))",
        "return footer",
        _METADATA + "test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone",
    ),
    Mistake(
        "an error about a policy repeats it",
        "antifaz/policy/pointers.py",
        _HIDDEN,
        _SHOWN,
        _ERRORS + "test_a_faulty_policy_is_described_without_what_it_holds",
    ),
    Mistake(
        "an error about a hierarchy repeats a value",
        "antifaz/hierarchies/levels.py",
        'f"row {number} repeats the value of an earlier row"',
        'f"row {number} repeats the value {row[0]} of an earlier row"',
        _ERRORS + "test_a_faulty_policy_is_described_without_what_it_holds",
    ),
    Mistake(
        "an error about a hierarchy points by a label",
        "antifaz/policy/pointers.py",
        "location = location[:-1]  #",
        "pass  #",
        _ERRORS + "test_whatever_stands_where_a_hierarchy_should_is_not_repeated",
    ),
    Mistake(
        "an error about a table repeats a value",
        "antifaz/hierarchies/levels.py",
        'text = "distinct values have no place in the hierarchy"',
        'text = f"{sorted(unknown)} have no place in the hierarchy"',
        _ERRORS + "test_column_and_row_of_a_value_are_named_but_not_the_value",
    ),
]
