"""The documentation as pages: the whole API, under the strict content security policy, with requests to send."""

import re

import httpx
import pytest

from service.documentation.sources import sources
from tests.service.conftest import Api
from tests.service.console.test_pages import Visitor
from tests.service.documentation.documented import DOCUMENT, TAGS, documented


@pytest.fixture(scope="module")
def nobody(api: Api) -> Visitor:
    return Visitor(api, None)


def is_strict(answer: httpx.Response) -> bool:
    policy = answer.headers["content-security-policy"]
    inline = re.search(r"<script(?![^>]*src=)|<style| style=| on[a-z]+=", answer.text)
    return "script-src 'self'" in policy and "unsafe" not in policy and inline is None


def test_the_first_page_lists_every_guide_and_every_operation(nobody: Visitor) -> None:
    answer = nobody.look("/docs")
    assert answer.status_code == 200
    assert is_strict(answer)
    for operation in documented().values():
        assert f'href="/docs/api/{operation.tag}#{operation.id}"' in answer.text
    for path in sources():
        assert f'href="{path}"' in answer.text
    assert not re.search(r'(src|href)="(https?:)?//', answer.text)


@pytest.mark.parametrize("tag", TAGS)
def test_every_operation_has_its_parameters_schemas_answers_and_a_form(nobody: Visitor, tag: str) -> None:
    answer = nobody.look(f"/docs/api/{tag}")
    assert answer.status_code == 200
    assert is_strict(answer)
    for operation in (each for each in documented().values() if each.tag == tag):
        section = answer.text.partition(f'id="{operation.id}"')[2].partition("</section>")[0]
        assert operation.summary.replace("'", "&#39;") in section
        for parameter in operation.parameters:
            assert f"<code>{parameter.name}</code>" in section
            assert f'id="try-{operation.id}-{parameter.name}"' in section
        for outcome in operation.outcomes:
            assert outcome.status in section
        assert f'data-method="{operation.method}" data-path="{operation.path}"' in section
        if operation.bodies:
            assert "<textarea" in section


def test_every_schema_has_a_page_and_the_unknown_has_none(nobody: Visitor) -> None:
    for name in DOCUMENT["components"]["schemas"]:
        answer = nobody.look(f"/docs/schemas/{name}")
        assert answer.status_code == 200, name
        for target in re.findall(r'href="/docs/schemas/([^"]+)"', answer.text):
            assert target in DOCUMENT["components"]["schemas"]
    for path in ("schemas/Nothing", "guides/nothing", "reference/nothing", "api/nothing", "guides/..%2f..%2fsetup"):
        assert nobody.look(f"/docs/{path}").status_code == 404


@pytest.mark.parametrize("path", list(sources()))
def test_every_page_of_documentation_is_served_without_a_token(nobody: Visitor, path: str) -> None:
    answer = nobody.look(path)
    assert answer.status_code == 200
    assert answer.text.count("<h1") == 1
    assert is_strict(answer)


def test_examples_name_what_the_visitor_has(api: Api) -> None:
    published = api.publish()
    steward = Visitor(api, "steward")
    assert f'value="{published.release_id}"' in steward.look("/docs/api/releases").text
    assert published.dataset_id in steward.look("/docs/api/jobs").text
    # Nothing to delete is proposed.
    deleting = steward.look("/docs/api/datasets").text.partition('id="delete_dataset"')[2].partition("</section>")[0]
    assert published.dataset_id not in deleting
