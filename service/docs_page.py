"""The API's description as a page: self-contained HTML, made from the OpenAPI document, without scripts."""

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, StrictUndefined

from service.permissions import OPEN, PERMISSIONS, PUBLIC_RELEASES

CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }} {{ version }}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #d0d7de; text-transform: capitalize; }
details { margin: .4rem 0; padding: .3rem .6rem; border: 1px solid #d0d7de; border-radius: .4rem; }
summary { cursor: pointer; } code { font: .9em ui-monospace, monospace; } .method { font-weight: 700; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid #eaeef2; }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } a { color: #6ea8e0; }
  h2, details, th, td { border-color: #30363d; } }
</style>
</head>
<body>
<h1>{{ title }} {{ version }}</h1>
<p>{{ description }}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p>
{% for tag, operations in groups %}<h2>{{ tag }}</h2>
{% for operation in operations %}<details id="{{ operation.id }}">
<summary><code><span class="method">{{ operation.method }}</span> {{ operation.path }}</code>
– {{ operation.summary }}</summary>
<p>Roles: {{ operation.roles }}</p>
{% if operation.parameters %}<table><tr><th>Parameter</th><th>In</th><th>About</th></tr>
{% for parameter in operation.parameters %}<tr><td><code>{{ parameter.name }}</code></td><td>{{ parameter["in"] }}</td>
<td>{{ parameter.get("description", "") }}</td></tr>{% endfor %}</table>{% endif %}
{% if operation.bodies %}<p>Body: {% for body in operation.bodies %}<code>{{ body }}</code> {% endfor %}</p>{% endif %}
<table><tr><th>Answer</th><th>About</th></tr>
{% for status, answer in operation.answers %}<tr><td>{{ status }}</td><td>{{ answer.description }}</td></tr>
{% endfor %}</table></details>
{% endfor %}{% endfor %}
</body>
</html>
"""


def render(openapi: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for tag, operation in _operations(openapi):
        groups.setdefault(tag, []).append(operation)
    about = openapi["info"]
    return _TEMPLATE.render(
        title=about["title"], version=about["version"], description=about["description"], groups=groups.items()
    )


def _operations(openapi: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            yield (
                operation["tags"][0],
                {
                    "id": operation["operationId"],
                    "method": method.upper(),
                    "path": path,
                    "summary": operation["summary"],
                    "roles": _roles(operation["operationId"]),
                    "parameters": operation.get("parameters", []),
                    "bodies": _bodies(operation),
                    "answers": operation["responses"].items(),
                },
            )


def _roles(operation_id: str) -> str:
    if operation_id in OPEN:
        return "none needed"
    roles = ", ".join(sorted(PERMISSIONS[operation_id]))
    return f"{roles}; anyone if the release is public" if operation_id in PUBLIC_RELEASES else roles


def _bodies(operation: Mapping[str, Any]) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    return [
        f"{media_type} {body.get('schema', {}).get('$ref', '').rpartition('/')[2]}".strip()
        for media_type, body in content.items()
    ]


_TEMPLATE = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(_PAGE)
