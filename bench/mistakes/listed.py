"""The mistakes: what stands in a file of the product, what a tired hand writes there, and the test named for it."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mistake:
    """One mistake: the old text stands exactly once in its file."""

    name: str
    file: str
    old: str
    new: str
    test: str

    @property
    def applies(self) -> bool:
        return (ROOT / self.file).read_text().count(self.old) == 1


_STRICTNESS = "tests/gate/test_strictness.py::"
_ORDER = "tests/leaks/test_order.py::"
_METADATA = "tests/leaks/test_metadata.py::"
_ERRORS = "tests/leaks/test_errors.py::"
_CIPHER = "tests/security/test_encryption.py::"
_AUDIT = "tests/security/test_audit_tampering.py::"
_FORGERY = "tests/security/test_forgery.py::"
_QUEUE = "tests/security/test_queue.py::"
_LIMITS = "tests/security/test_limits.py::"
_SERVERS = "tests/security/test_servers.py::"
_SAME_ROWS = 'return [] if same_rows(tables, in_order) else ["the artifacts of one part show different rows"]'
_CLASSES = "_classes_of(cells, quasi_identifiers(self.policy))"
_TEXTS = "return Column(np.concatenate(chunks).astype(np.int64), texts, TEXT * len(texts))"
_CODED = "return encoded(np.concatenate(chunks).astype(np.int64), {}, TEXT * len(texts))"
_SHUFFLE = "order = rng.permutation(len(protected.records))"
_RENAME = "structure.renamed(rng.permutation(structure.graph.n))"
_BARE = "write_statistics=False, store_schema=False"
_BINDING = "_CHUNK_LABEL + tenant_id.bytes + blob_id.bytes"
_NEXT = "        and event.digest == _digest(event.tenant_id, event.number, *content)\n"
_ANCHORED = "        and anchors.get(event.number, {event.digest}) == {event.digest}\n"
_CUT_OFF = "if broken_at is None and max(anchors, default=0) >= expected:"
_FIXED_ROWS = "order = np.random.default_rng(1).permutation(len(protected.records))"
_FIXED_NODES = "structure.renamed(np.random.default_rng(1).permutation(structure.graph.n))"
_TURNED = "order = np.roll(np.arange(len(protected.records)), rng.integers(len(protected.records)))"
_HIDDEN = 'detail, location = fault["msg"].removeprefix("Value error, "), fault["loc"]'
_SHOWN = 'detail, location = fault["msg"] + str(data), fault["loc"]'
_CLAIMED = "contradicted = _contradicted(c, tenant_id)"
_SIGNED = "{row.digest if signer.knows(tenant_id, *row) else _NO_DIGEST}"
_KNOWN_ROW = "if _is_authentic(keys, tuple(bound), mac):"
_RIGHTS = '"~* +@all -@admin -@dangerous -@pubsub -@hyperloglog -@geo -@bitmap -@stream"'
_VERIFIER_SHARES = 'forbidden_modules = ["antifaz", "api_schemas", "formats", "storage",'

MISTAKES: list[Mistake] = [
    # The gate: what the verifier is satisfied by
    Mistake(
        "one less than k is enough",
        "verifier/findings.py",
        'reached < guarantee["k"]',
        'reached < guarantee["k"] - 1',
        _STRICTNESS + "test_a_policy_with_a_larger_k_refuses_the_same_bytes",
    ),
    Mistake(
        "the largest class counts",
        "verifier/models.py",
        "return int(classes.sizes.min())",
        "return int(classes.sizes.max())",
        _STRICTNESS + "test_the_verifier_accepts_exactly_up_to_what_brute_force_counts",
    ),
    Mistake(
        "the average class counts",
        "verifier/models.py",
        "return int(classes.sizes.min())",
        "return round(float(classes.sizes.mean()))",
        _STRICTNESS + "test_every_single_change_of_a_tight_release_is_noticed",
    ),
    Mistake(
        "the number of rows is k",
        "verifier/models.py",
        "return int(classes.sizes.min())",
        "return int(classes.sizes.sum())",
        _STRICTNESS + "test_three_people_who_are_alike_in_nothing_do_not_pass_for_two",
    ),
    Mistake(
        "labels are trimmed",
        "verifier/tables.py",
        _TEXTS,
        _CODED.format("[text.strip() for text in texts]"),
        _STRICTNESS + "test_labels_are_compared_as_they_are",
    ),
    Mistake(
        "a missing value is a wildcard",
        "verifier/tables.py",
        _TEXTS,
        _CODED.format("[text or max(texts) for text in texts]"),
        _STRICTNESS + "test_a_missing_value_is_a_value_and_no_wildcard",
    ),
    Mistake(
        "rows are counted for people",
        "verifier/findings.py",
        "    if not by_person:\n",
        "    if by_person is not None:\n",
        _STRICTNESS + "test_five_rows_of_one_person_are_one_person",
    ),
    Mistake(
        "the most diverse class counts",
        "verifier/models.py",
        "return int(np.bincount(tallies.class_of).min())",
        "return int(np.bincount(tallies.class_of).max())",
        _STRICTNESS + "test_a_homogeneous_class_is_not_diverse_however_diverse_the_table_is",
    ),
    Mistake(
        "formats need not agree",
        "verifier/release_parts.py",
        _SAME_ROWS,
        "return []",
        _STRICTNESS + "test_formats_that_disagree_are_no_release",
    ),
    Mistake(
        "the verifier borrows from the engine",
        "verifier/exact.py",
        "import math\n",
        "import math\n\nimport antifaz.errors  # noqa: F401\n",
        _STRICTNESS + "test_the_verifier_imports_nothing_but_itself_the_standard_library_numpy_and_pyarrow",
    ),
    Mistake(
        "the contract lets the verifier borrow",
        "pyproject.toml",
        _VERIFIER_SHARES,
        'forbidden_modules = ["api_schemas", "formats", "storage",',
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
        "formats/parquet.py",
        _BARE,
        "write_statistics=True, store_schema=False",
        _METADATA + "test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone",
    ),
    Mistake(
        "parquet has a schema of Arrow's",
        "formats/parquet.py",
        _BARE,
        "write_statistics=False, store_schema=True",
        _METADATA + "test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone",
    ),
    Mistake(
        "parquet says which library wrote it",
        "formats/parquet.py",
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
    # Security: blobs
    Mistake(
        "the last chunk is not known as such",
        "storage/blobs.py",
        '(b"\\x01" if last else b"\\x00")',
        'b"\\x00"',
        _CIPHER + "test_a_release_that_was_exchanged_does_not_open",
    ),
    Mistake(
        "a blob is not bound to its tenant",
        "storage/blobs.py",
        _BINDING,
        "_CHUNK_LABEL + blob_id.bytes",
        _CIPHER + "test_a_blob_given_to_another_tenant_does_not_open_for_it",
    ),
    Mistake(
        "every blob has the same key",
        "storage/blobs.py",
        "return secrets.token_bytes(KEY_BYTES)",
        "return bytes(KEY_BYTES)",
        _CIPHER + "test_the_same_content_twice_has_nothing_in_common",
    ),
    # Security: the audit trail
    Mistake(
        "digests of events are not computed again",
        "storage/audit.py",
        _NEXT,
        "",
        _AUDIT + "test_every_change_behind_our_back_is_named",
    ),
    Mistake(
        "a trail that was cut off is intact",
        "storage/audit.py",
        _CUT_OFF,
        "if broken_at is None and expected < 1:",
        _AUDIT + "test_every_change_behind_our_back_is_named",
    ),
    Mistake(
        "anchors are not compared",
        "storage/audit.py",
        _ANCHORED,
        "",
        _AUDIT + "test_a_chain_that_was_forged_well_is_noticed_through_its_anchor",
    ),
    Mistake(
        "anchors need no signature",
        "storage/audit.py",
        _SIGNED,
        "{row.digest}",
        _AUDIT + "test_a_chain_that_was_forged_together_with_its_anchors_is_noticed",
    ),
    Mistake(
        "a kept head is not compared",
        "storage/audit.py",
        "    if kept is not None:\n",
        "    if kept is not None and not kept:\n",
        _AUDIT + "test_a_chain_that_was_forged_and_whose_anchors_are_gone_does_not_fit_a_kept_head",
    ),
    Mistake(
        "rows may contradict the trail",
        "storage/audit.py",
        _CLAIMED,
        "contradicted = ()",
        _AUDIT + "test_what_was_put_back_is_contradicted_by_the_trail",
    ),
    # Security: forged rows
    Mistake(
        "the row of a token is believed",
        "storage/tokens.py",
        _KNOWN_ROW,
        "if keys:",
        _FORGERY + "test_a_token_whose_row_was_changed_opens_nothing",
    ),
    Mistake(
        "the row of a release is believed",
        "storage/releases.py",
        "        require_authentic(keys, _KIND, _values(record), record.mac)\n",
        "        pass\n",
        _FORGERY + "test_a_release_that_was_made_public_behind_our_back_is_not_served",
    ),
    Mistake(
        "the row of a report is believed",
        "storage/reports.py",
        "    require_authentic(keys, _KIND, _values(vars(record)), record.mac)\n",
        "",
        _FORGERY + "test_an_edited_report_is_shown_to_nobody",
    ),
    Mistake(
        "a stored answer is believed",
        "storage/idempotency.py",
        "    require_authentic(keys, _KIND, [tenant_id, key, *values], mac)\n",
        "",
        _FORGERY + "test_an_answer_that_was_changed_is_not_given_again",
    ),
    # Security: the queue, limits, servers, patterns, what is locked
    Mistake(
        "workers unpickle",
        "workers/app.py",
        'accept_content=["json"],',
        'accept_content=["json", "pickle"],',
        _QUEUE + "test_both_ends_of_the_queue_speak_json_alone",
    ),
    Mistake(
        "the service reads yaml",
        "service/dispatch.py",
        'accept_content=["json"],',
        'accept_content=["json", "yaml"],',
        _QUEUE + "test_both_ends_of_the_queue_speak_json_alone",
    ),
    Mistake(
        "workers listen to broadcasts",
        "workers/app.py",
        "worker_enable_remote_control=False,",
        "worker_enable_remote_control=True,",
        _QUEUE + "test_a_worker_that_listens_to_broadcasts_would_be_noticed",
    ),
    Mistake(
        "one limit for everybody",
        "service/limits.py",
        "bucket = self._buckets.get(key) or self._new_bucket(key, now)",
        'bucket = self._buckets.get("") or self._new_bucket("", now)',
        _LIMITS + "test_a_token_over_its_limit_is_refused_and_another_tenants_is_not",
    ),
    Mistake(
        "limits never end",
        "service/limits.py",
        "        bucket.drops -= 1.0\n",
        "        bucket.drops -= 0.0\n",
        _LIMITS + "test_uploads_have_a_limit_of_their_own",
    ),
    Mistake(
        "our processes may administer Redis",
        "cli/embedded/broker.py",
        _RIGHTS,
        '"~* +@all"',
        _SERVERS + "test_our_processes_cannot_administer_redis",
    ),
    Mistake(
        "PostgreSQL logs the statements of errors",
        "cli/embedded/postgres.py",
        '"log_min_error_statement": "panic",',
        '"log_min_error_statement": "error",',
        _SERVERS + "test_postgres_runs_with_the_settings_that_keep_values_out_of_its_log",
    ),
    Mistake(
        "PostgreSQL logs every statement",
        "cli/embedded/postgres.py",
        '"log_statement": "none",',
        '"log_statement": "all",',
        _SERVERS + "test_neither_an_error_nor_the_log_of_postgres_repeats_a_value",
    ),
    Mistake(
        "a pattern comes from a caller",
        "verifier/networks.py",
        "def numbers_of(",
        "def fits(pattern: str, text: str) -> object:\n    return re.fullmatch(pattern, text)\n\n\ndef numbers_of(",
        "tests/security/test_dependencies.py::test_no_function_takes_its_pattern_from_a_caller",
    ),
    Mistake(
        "a pattern takes long",
        "verifier/networks.py",
        '_NODE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)',
        '_NODE_NUMBER = re.compile(r"[0-9]*[0-9]*[0-9]?x", re.ASCII)',
        "tests/security/test_hostile_policies.py::test_no_pattern_of_ours_takes_long_over_any_text",
    ),
    Mistake(
        "a package is locked at another version",
        "requirements.lock",
        "pyarrow==26.0.1 \\",
        "pyarrow==26.0.0 \\",
        "tests/security/test_dependencies.py::test_every_package_that_is_imported_here_is_locked_at_its_version",
    ),
    Mistake(
        "a rule has a test that does not exist",
        "docs/security-tests.md",
        "test_labels_are_compared_as_they_are",
        "test_labels_are_compared_somehow",
        "tests/security/test_documentation.py::test_every_rule_has_tests_that_exist_or_a_reason",
    ),
]
