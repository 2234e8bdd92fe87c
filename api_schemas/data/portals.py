"""Portals, publications of releases on them, and the steps that may follow a job."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from api_schemas.data.webhooks import OutboundUrl
from api_schemas.schema import Answer, Body, Id, Name, Page

PortalKind = Literal["ckan", "dataverse", "invenio"]
Subject = Literal[
    "Agricultural Sciences",
    "Arts and Humanities",
    "Astronomy and Astrophysics",
    "Business and Management",
    "Chemistry",
    "Computer and Information Science",
    "Earth and Environmental Sciences",
    "Engineering",
    "Law",
    "Mathematical Sciences",
    "Medicine, Health and Life Sciences",
    "Physics",
    "Social Sciences",
    "Other",
]
PublicationState = Literal["queued", "published", "failed", "withdrawing", "withdrawn", "could_not_be_removed"]


class PortalRequest(Body):
    """A portal to register."""

    kind: PortalKind
    name: Name
    url: OutboundUrl
    """Address of the portal, without the path of its API."""
    token: Annotated[str, StringConstraints(min_length=1, max_length=4000, pattern=r"^[\x21-\x7e]+$")]
    """The portal's key. It is sealed immediately: it is never shown again, and only the courier can open it."""
    collection: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{1,100}$")] | None = None
    """CKAN: the organization. Dataverse: the alias of the collection."""
    subject: Subject | None = None
    """Dataverse: the subject of the releases; ``Other`` if left out."""

    @model_validator(mode="after")
    def _fits(self) -> "PortalRequest":
        if self.kind == "dataverse" and self.collection is None:
            raise ValueError("a Dataverse needs the alias of a collection")
        if self.kind == "invenio" and self.collection is not None:
            raise ValueError("this kind of portal has no collection")
        if self.kind != "dataverse" and self.subject is not None:
            raise ValueError("only a Dataverse has a subject")
        return self


class Portal(Answer):
    """A registered portal: everything except its key."""

    id: str
    kind: PortalKind
    name: str
    url: str
    collection: str | None = None
    subject: str | None = None
    created_at: str


class PortalPage(Page):
    """Portals, newest first."""

    items: list[Portal]


class PublicationRequest(Body):
    """A request to publish a release on a portal."""

    portal: Id
    """Id of the portal."""
    mode: Literal["link", "upload"] = "link"
    """Whether the portal gets links to the files, or copies."""
    acknowledge_copies: bool = False
    """Must be true to upload copies: a copy may outlive the withdrawal of its release."""
    irrevocable: bool = False
    """Must be true for InvenioRDM and Zenodo: a published record cannot be taken back."""


class Publication(Answer):
    """A release on a portal."""

    id: str
    release_id: str
    portal: str
    mode: Literal["link", "upload"]
    state: PublicationState
    reason: str | None = None
    """Why it failed or could not be removed, or what remains on the portal."""
    url: str | None = None
    """Its address on the portal."""
    attempts: int
    created_at: str
    changed_at: str


class PublicationList(Answer):
    """The current, past and pending publications of a release."""

    items: list[Publication]


class Step(Body):
    """A step after a job: a publication of its release, which makes it public, or a webhook called at its end."""

    publish: PublicationRequest | None = None
    """Make the release public and send it to a portal; its card must be complete when the job is submitted."""
    webhook: Id | None = None
    """Id of a webhook that is called when this job ends, whatever events it subscribes to."""

    @model_validator(mode="after")
    def _one(self) -> "Step":
        if (self.publish is None) == (self.webhook is None):
            raise ValueError("exactly one of publish and webhook must be given")
        return self


Then = Annotated[list[Step], Field(min_length=1, max_length=10)]


def stored_steps(then: Sequence[Step], base: str) -> dict[str, Any]:
    """The steps as a job stores them, with the base address of links to this service."""
    steps = [
        {"webhook": step.webhook}
        if step.publish is None
        else {"publish": {"portal": step.publish.portal, "mode": step.publish.mode, "base": base}}
        for step in then
    ]
    return {"steps": steps}
