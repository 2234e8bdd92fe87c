"""Mistakes against the encryption, the trail, the rows, the queue and the servers."""

from bench.mistakes.mistake import Mistake

_CIPHER = "tests/security/test_encryption.py::"
_AUDIT = "tests/security/test_audit_tampering.py::"
_FORGERY = "tests/security/test_forgery.py::"
_LEDGER = "tests/security/test_forged_ledger.py::"
_QUEUE = "tests/security/test_queue.py::"
_LIMITS = "tests/security/test_limits.py::"
_SERVERS = "tests/security/test_servers.py::"
_BINDING = "_CHUNK_LABEL + tenant_id.bytes + blob_id.bytes"
_NEXT = "        and event.digest == _digest(event.tenant_id, event.number, *content)\n"
_ANCHORED = "        and anchors.get(event.number, {event.digest}) == {event.digest}\n"
_CUT_OFF = "if broken_at is None and max(anchors, default=0) >= expected:"
_CLAIMED = "contradicted = contradicted_events(c, tenant_id)"
_SIGNED = "{row.digest if signer.knows(tenant_id, *row) else _NO_DIGEST}"
_KNOWN_ROW = "if _is_authentic(keys, _bound(bound), mac):"
_RIGHTS = '"~* +@all -@admin -@dangerous -@pubsub -@hyperloglog -@geo -@bitmap -@stream"'

SECURITY: list[Mistake] = [
    # Blobs
    Mistake(
        "the last chunk is not known as such",
        "storage/blobs/blobs.py",
        '(b"\\x01" if last else b"\\x00")',
        'b"\\x00"',
        _CIPHER + "test_a_release_that_was_exchanged_does_not_open",
    ),
    Mistake(
        "a blob is not bound to its tenant",
        "storage/blobs/blobs.py",
        _BINDING,
        "_CHUNK_LABEL + blob_id.bytes",
        _CIPHER + "test_a_blob_given_to_another_tenant_does_not_open_for_it",
    ),
    Mistake(
        "every blob has the same key",
        "storage/blobs/blobs.py",
        "return secrets.token_bytes(KEY_BYTES)",
        "return bytes(KEY_BYTES)",
        _CIPHER + "test_the_same_content_twice_has_nothing_in_common",
    ),
    # Security: the audit trail
    Mistake(
        "digests of events are not computed again",
        "storage/audit/audit.py",
        _NEXT,
        "",
        _AUDIT + "test_every_change_behind_our_back_is_named",
    ),
    Mistake(
        "a trail that was cut off is intact",
        "storage/audit/audit.py",
        _CUT_OFF,
        "if broken_at is None and expected < 1:",
        _AUDIT + "test_every_change_behind_our_back_is_named",
    ),
    Mistake(
        "anchors are not compared",
        "storage/audit/audit.py",
        _ANCHORED,
        "",
        _AUDIT + "test_a_chain_that_was_forged_well_is_noticed_through_its_anchor",
    ),
    Mistake(
        "anchors need no signature",
        "storage/audit/audit.py",
        _SIGNED,
        "{row.digest}",
        _AUDIT + "test_a_chain_that_was_forged_together_with_its_anchors_is_noticed",
    ),
    Mistake(
        "a kept head is not compared",
        "storage/audit/audit.py",
        "    if kept is not None:\n",
        "    if kept is not None and not kept:\n",
        _AUDIT + "test_a_chain_that_was_forged_and_whose_anchors_are_gone_does_not_fit_a_kept_head",
    ),
    Mistake(
        "rows may contradict the trail",
        "storage/audit/audit.py",
        _CLAIMED,
        "contradicted = ()",
        _AUDIT + "test_what_was_put_back_is_contradicted_by_the_trail",
    ),
    # Security: forged rows
    Mistake(
        "the row of an account is believed",
        "storage/accounts/ledger.py",
        "    require_authentic(keys, ACCOUNT_CODE[0], values, mac)\n",
        "",
        _LEDGER + "test_a_changed_account_or_grant_answers_nobody_and_the_audit_names_it",
    ),
    Mistake(
        "the row of a grant is believed",
        "storage/accounts/grants.py",
        "    require_authentic(keys, GRANT_CODE[0], values, mac)\n",
        "",
        _LEDGER + "test_a_grant_that_was_written_into_the_database_opens_nothing",
    ),
    Mistake(
        "an account may be older than its charges",
        "storage/accounts/ledger.py",
        "    _require_newest(c, row, grant)\n",
        "",
        _LEDGER + "test_a_row_from_before_a_charge_is_contradicted_by_the_charge",
    ),
    Mistake(
        "the row of a token is believed",
        "storage/tenancy/tokens.py",
        _KNOWN_ROW,
        "if keys:",
        _FORGERY + "test_a_token_whose_row_was_changed_opens_nothing",
    ),
    Mistake(
        "the row of a release is believed",
        "storage/releases/releases.py",
        "        require_authentic(keys, _KIND, _values(record), record.mac)\n",
        "        pass\n",
        _FORGERY + "test_a_release_that_was_made_public_behind_our_back_is_not_served",
    ),
    Mistake(
        "the row of a report is believed",
        "storage/releases/reports.py",
        "    require_authentic(keys, _KIND, _values(vars(record)), record.mac)\n",
        "",
        _FORGERY + "test_an_edited_report_is_shown_to_nobody",
    ),
    Mistake(
        "a stored answer is believed",
        "storage/tenancy/idempotency.py",
        "    require_authentic(keys, _KIND, [tenant_id, key, *values], mac)\n",
        "",
        _FORGERY + "test_an_answer_that_was_changed_is_not_given_again",
    ),
    # Security: the queue, limits, servers, patterns, what is locked
    Mistake(
        "workers unpickle",
        "workers/process/app.py",
        'accept_content=["json"],',
        'accept_content=["json", "pickle"],',
        _QUEUE + "test_both_ends_of_the_queue_speak_json_alone",
    ),
    Mistake(
        "the service reads yaml",
        "service/runtime/dispatch.py",
        'accept_content=["json"],',
        'accept_content=["json", "yaml"],',
        _QUEUE + "test_both_ends_of_the_queue_speak_json_alone",
    ),
    Mistake(
        "workers listen to broadcasts",
        "workers/process/app.py",
        "worker_enable_remote_control=False,",
        "worker_enable_remote_control=True,",
        _QUEUE + "test_a_worker_that_listens_to_broadcasts_would_be_noticed",
    ),
    Mistake(
        "one limit for everyone",
        "service/runtime/limits.py",
        "bucket = self._buckets.get(key) or self._new_bucket(key, now)",
        'bucket = self._buckets.get("") or self._new_bucket("", now)',
        _LIMITS + "test_a_token_over_its_limit_is_refused_and_another_tenants_is_not",
    ),
    Mistake(
        "limits never end",
        "service/runtime/limits.py",
        "        bucket.drops -= 1.0\n",
        "        bucket.drops -= 0.0\n",
        _LIMITS + "test_uploads_have_a_limit_of_their_own",
    ),
    Mistake(
        "our processes may administer Redis",
        "stack/servers/broker.py",
        _RIGHTS,
        '"~* +@all"',
        _SERVERS + "test_our_processes_cannot_administer_redis",
    ),
    Mistake(
        "PostgreSQL logs the statements of errors",
        "stack/servers/postgres.py",
        '"log_min_error_statement": "panic",',
        '"log_min_error_statement": "error",',
        _SERVERS + "test_postgres_runs_with_the_settings_that_keep_values_out_of_its_log",
    ),
    Mistake(
        "PostgreSQL logs every statement",
        "stack/servers/postgres.py",
        '"log_statement": "none",',
        '"log_statement": "all",',
        _SERVERS + "test_neither_an_error_nor_the_log_of_postgres_repeats_a_value",
    ),
    Mistake(
        "a pattern comes from a caller",
        "verifier/readers/networks.py",
        "def numbers_of(",
        "def fits(pattern: str, text: str) -> object:\n    return re.fullmatch(pattern, text)\n\n\ndef numbers_of(",
        "tests/security/test_dependencies.py::test_no_function_takes_its_pattern_from_a_caller",
    ),
    Mistake(
        "a pattern takes long",
        "verifier/readers/networks.py",
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
