"""The operations of the API that are used here, by the names they have in its OpenAPI document."""

OPERATIONS: dict[str, tuple[str, str]] = {
    "cancel_job": ("POST", "/v1/jobs/{id}/cancel"),
    "create_comparison": ("POST", "/v1/comparisons"),
    "create_dataset": ("POST", "/v1/datasets"),
    "create_job": ("POST", "/v1/jobs"),
    "create_token": ("POST", "/v1/tokens"),
    "delete_dataset": ("DELETE", "/v1/datasets/{id}"),
    "get_advice": ("GET", "/v1/datasets/{id}/advice"),
    "get_budget": ("GET", "/v1/datasets/{id}/budget"),
    "get_caller": ("GET", "/v1/me"),
    "get_comparison": ("GET", "/v1/comparisons/{id}"),
    "get_comparison_plot": ("GET", "/v1/comparisons/{id}/plot.svg"),
    "get_dataset": ("GET", "/v1/datasets/{id}"),
    "get_hierarchy": ("GET", "/v1/hierarchies/{id}"),
    "get_job": ("GET", "/v1/jobs/{id}"),
    "get_job_report": ("GET", "/v1/jobs/{id}/report"),
    "get_release": ("GET", "/v1/releases/{id}"),
    "get_release_data": ("GET", "/v1/releases/{id}/data"),
    "get_release_report": ("GET", "/v1/releases/{id}/report"),
    "get_release_report_page": ("GET", "/v1/releases/{id}/report.html"),
    "get_version": ("GET", "/v1/version"),
    "list_attacks": ("GET", "/v1/attacks"),
    "list_datasets": ("GET", "/v1/datasets"),
    "list_guarantees": ("GET", "/v1/guarantees"),
    "list_jobs": ("GET", "/v1/jobs"),
    "list_measures": ("GET", "/v1/measures"),
    "list_methods": ("GET", "/v1/methods"),
    "list_releases": ("GET", "/v1/releases"),
    "list_reports": ("GET", "/v1/reports"),
    "list_tokens": ("GET", "/v1/tokens"),
    "preview_hierarchy": ("POST", "/v1/hierarchies/preview"),
    "release_comparison": ("POST", "/v1/comparisons/{id}/release"),
    "revoke_token": ("DELETE", "/v1/tokens/{id}"),
    "set_release_audience": ("POST", "/v1/releases/{id}/audience"),
    "validate_policy": ("POST", "/v1/policies/validate"),
    "withdraw_release": ("POST", "/v1/releases/{id}/withdraw"),
}
CREATING = frozenset(
    {"create_dataset", "create_job", "create_comparison", "release_comparison", "create_token", "preview_hierarchy"}
)
"""Operations that take an Idempotency-Key: sent again with the same key, they create nothing twice."""
