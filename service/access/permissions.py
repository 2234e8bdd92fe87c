"""Permissions: which roles may call which operation. An operation that is not listed here is not served.

`auth.admit` looks every call up here (`auth.allows`) and refuses it.
"""

from typing import Final

STEWARD: Final = "steward"
CONSUMER: Final = "consumer"
AUDITOR: Final = "auditor"
ANALYST: Final = "analyst"
ADMIN: Final = "admin"

ROLES: Final = (STEWARD, CONSUMER, AUDITOR, ANALYST, ADMIN)
_ALL = frozenset({STEWARD, CONSUMER, AUDITOR, ADMIN})
_ANYONE = frozenset({*_ALL, ANALYST})
_STEWARDS = frozenset({STEWARD, ADMIN})
_AUDITORS = frozenset({AUDITOR, ADMIN})
_REVIEWERS = frozenset({STEWARD, AUDITOR, ADMIN})
_READERS = frozenset({STEWARD, CONSUMER, ADMIN})
_ASKERS = frozenset({STEWARD, ANALYST, ADMIN})
_ASKERS_AND_REVIEWERS = frozenset({STEWARD, AUDITOR, ANALYST, ADMIN})
_ADMINS = frozenset({ADMIN})

PAGES: Final = frozenset(
    {"static_file", "page_landing", "page_sign_in", "page_sign_out", "page_oidc_sign_in", "page_oidc_callback"}
    | {"page_releases", "page_release", "page_manage_release"}
    | {"page_new", "page_datasets", "page_dataset", "page_trials", "page_jobs", "page_job"}
    | {"page_ask", "page_ask_dataset", "page_questions"}
    | {"page_portals", "page_webhooks", "page_webhook", "page_publications"}
    | {"page_audit", "page_audit_charts", "page_audit_chain", "page_audit_budgets", "page_tokens"}
    | {"page_docs", "page_docs_guide", "page_docs_reference", "page_docs_operations", "page_docs_schema"}
)
"""Operations that render pages for people; the API's description leaves them out."""

OPEN: Final = frozenset({"healthz", "readyz", "openapi", "get_signing_keys"}) | PAGES
"""Operations that need no token."""

PUBLIC_RELEASES: Final = frozenset(
    {
        *("get_release", "get_release_data", "get_release_bundle", "get_release_metadata"),
        *("get_release_report", "get_release_report_page", "get_release_report_pdf"),
    }
)
"""Operations that also answer without a token, or to any role, for a release whose audience is public."""

WITH_DATA: Final = frozenset(
    {"get_release_data", "get_release_bundle", "get_release_report_page", "get_release_report_pdf"}
)
"""Operations whose answer can contain data of a release: a file, or a drawing of all edges. Data in it
is only for the roles of `get_release_data`, or for everyone if the release is public: others get the same answer
without it. `service/releases/artifact_bytes.py`, through which all released bytes go, enforces this."""

WITH_ANSWERS: Final = frozenset({"create_query", "get_query"})
"""Operations whose answer can contain the answer to a question, which is data too: it is only for those who may ask."""

PUBLIC_LISTS: Final = frozenset({"list_releases", "get_catalog", "get_tenant_catalog", "oai", "oai_form"})
"""Operations that list public releases without a token. Anyone who has a token may do at least what a stranger may: a
role that is not listed for them below sees what strangers see."""

PERMISSIONS: Final[dict[str, frozenset[str]]] = {
    "create_dataset": _STEWARDS,
    "list_datasets": _REVIEWERS,
    "get_dataset": _REVIEWERS,
    "get_budget": _REVIEWERS,
    "delete_dataset": _STEWARDS,
    "get_advice": _STEWARDS,
    "put_declarations": _STEWARDS,
    "get_declarations": _ASKERS_AND_REVIEWERS,
    "create_query": _ASKERS,
    "get_query": _ASKERS_AND_REVIEWERS,
    "create_grant": _STEWARDS,
    "list_grants": _ASKERS_AND_REVIEWERS,
    "validate_policy": _STEWARDS,
    "create_policy": _STEWARDS,
    "list_policies": _STEWARDS,
    "get_policy": _STEWARDS,
    "create_hierarchy": _STEWARDS,
    "generate_hierarchy": _STEWARDS,
    "preview_hierarchy": _STEWARDS,
    "list_hierarchies": _STEWARDS,
    "get_hierarchy": _STEWARDS,
    "create_job": _STEWARDS,
    "list_jobs": _STEWARDS,
    "get_job": _STEWARDS,
    "watch_job": _STEWARDS,
    "cancel_job": _STEWARDS,
    "get_job_report": _REVIEWERS,
    "get_job_report_page": _REVIEWERS,
    "get_job_report_pdf": _REVIEWERS,
    "create_comparison": _STEWARDS,
    "get_comparison": _REVIEWERS,
    "get_comparison_plot": _REVIEWERS,
    "get_comparison_page": _REVIEWERS,
    "release_comparison": _STEWARDS,
    "list_releases": _ALL,
    "get_release": _ALL,
    "get_release_data": _READERS,
    "get_release_bundle": _ALL,
    "get_release_metadata": _ALL,
    "get_release_about": _REVIEWERS,
    "set_release_about": _STEWARDS,
    "get_catalog": _ALL,
    "get_tenant_catalog": _ALL,
    "oai": _ALL,
    "oai_form": _ALL,
    "get_catalog_about": _REVIEWERS,
    "set_catalog_about": _STEWARDS,
    "get_release_report": _ALL,
    "get_release_report_page": _ALL,
    "get_release_report_pdf": _ALL,
    "withdraw_release": _STEWARDS,
    "destroy_release_data": _STEWARDS,
    "set_release_audience": _STEWARDS,
    "list_reports": _REVIEWERS,
    "list_audit_events": _AUDITORS,
    "verify_audit_events": _AUDITORS,
    "get_caller": _ANYONE,
    "get_version": _ANYONE,
    "create_token": _ADMINS,
    "list_tokens": _ADMINS,
    "revoke_token": _ADMINS,
    "create_tenant": _ADMINS,
    "create_webhook": _ADMINS,
    "list_webhooks": _ADMINS,
    "get_webhook": _ADMINS,
    "delete_webhook": _ADMINS,
    "rotate_webhook": _ADMINS,
    "test_webhook": _ADMINS,
    "list_deliveries": _ADMINS,
    "redeliver": _ADMINS,
    "create_portal": _ADMINS,
    "list_portals": _STEWARDS,
    "get_portal": _STEWARDS,
    "delete_portal": _ADMINS,
    "create_publication": _STEWARDS,
    "list_publications": _REVIEWERS,
    "withdraw_publication": _STEWARDS,
    "list_methods": _ANYONE,
    "list_guarantees": _ANYONE,
    "list_measures": _ANYONE,
    "list_attacks": _ANYONE,
    "list_hierarchy_kinds": _ANYONE,
}
"""Operation id → roles. ``create_tenant`` also requires an admin of the first tenant."""
