"""Properties that all schemas share."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError

from antifaz.described import WithStrictNumbers
from antifaz.part import Part
from antifaz.policy.model import Policy
from api_schemas.data.datasets import UploadMetadata
from api_schemas.schema import Id, Name, rfc3339
from service.app import _modules_with_routes


def test_times_are_written_in_utc():
    moment = datetime(2024, 2, 29, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    assert rfc3339(moment) == "2024-02-28T23:30:00.123Z"
    assert rfc3339(datetime(2024, 1, 1, tzinfo=UTC), "microseconds") == "2024-01-01T00:00:00.000000Z"
    assert rfc3339(None) is None


@pytest.mark.parametrize("name", ["", "a\nb", "a\x00b", "x" * 201])
def test_a_name_is_one_short_line(name):
    with pytest.raises(ValidationError):
        TypeAdapter(Name).validate_python(name)


@pytest.mark.parametrize("text", ["", "a b", "../etc", "x" * 65])
def test_an_id_is_a_plain_word(text):
    with pytest.raises(ValidationError):
        TypeAdapter(Id).validate_python(text)


def models_in(annotation: Any) -> set[type[BaseModel]]:
    """The models that an annotation mentions, with those inside them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inside = (models_in(each.annotation) for each in annotation.model_fields.values())
        return {annotation}.union(*inside)
    return set().union(*map(models_in, get_args(annotation)))


def request_bodies() -> set[type[BaseModel]]:
    """Every model in the body of a request, except policies, which are parsed strictly as a whole."""
    routes = [each for module in _modules_with_routes() for each in module.router.routes if isinstance(each, APIRoute)]
    bodies = [route.body_field.field_info.annotation for route in routes if route.body_field is not None]
    found = models_in(UploadMetadata).union(*map(models_in, bodies))
    assert len(found) > 30
    return {model for model in found if not issubclass(model, Part | Policy)}


def accepts_only_numbers(annotation: Any) -> bool:
    kinds = types_in(annotation)
    return bool(kinds & {int, float}) and not kinds & {bool, str}


def types_in(annotation: Any) -> set[Any]:
    return {annotation} if isinstance(annotation, type) else set().union(*map(types_in, get_args(annotation)))


def test_neither_true_nor_a_text_is_a_number_in_any_body():
    """A question with an epsilon of true was charged as 1."""
    checked = 0
    for model in request_bodies():
        for name, field in model.model_fields.items():
            if not accepts_only_numbers(field.annotation):
                continue
            for wrong in (True, "1", "0.5"):
                with pytest.raises(ValidationError) as refused:
                    model.model_validate({name: wrong})
                assert any(error["loc"][0] == name for error in refused.value.errors()), (model, name, wrong)
            checked += 1
    assert checked >= 12


def test_every_body_is_a_model_with_strict_numbers():
    assert [model for model in request_bodies() if not issubclass(model, WithStrictNumbers)] == []


def test_nothing_in_place_of_a_boolean_is_one_in_any_body():
    """An accuracy of "no" would be a question that is charged, and a trial of 0 a release."""
    checked = 0
    for model in request_bodies():
        for name, field in model.model_fields.items():
            if bool not in types_in(field.annotation) or str in types_in(field.annotation):
                continue
            for wrong in (0, 1, "no", "yes", "false", 1.0):
                with pytest.raises(ValidationError) as refused:
                    model.model_validate({name: wrong})
                assert any(error["loc"][0] == name for error in refused.value.errors()), (model, name, wrong)
            checked += 1
    assert checked >= 6
