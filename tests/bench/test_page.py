"""The page of results."""

from bench.page import Figure, Section, merged, rendered, sections_of

ORDER = ["get", "post", "soak"]
FAST = Section("get", "How get is measured.", [Figure("reads", "0.40 × hello", "≥ 0.30", met=True)], ["calm"])
SLOW = Section("post", "How post is measured.", [Figure("writes", "0.02 × hello", "≥ 0.06", met=False)])


def page(*sections: Section, before: str = "") -> str:
    return rendered("Load", "What this is.", merged(before, sections, ORDER))


def test_every_figure_stands_with_its_goal_and_whether_it_is_met():
    text = page(FAST, SLOW)
    assert text.startswith("# Load\n\nWhat this is.\n\n1 of 2 goals met, 1 not met, 0 void.\n\n## get\n")
    assert "| reads | 0.40 × hello | ≥ 0.30 | yes |" in text
    assert "| writes | 0.02 × hello | ≥ 0.06 | no |" in text
    assert "- calm\n" in text
    assert text.endswith("\n")


def test_a_void_section_proves_nothing_and_says_why():
    void = Section("get", "How.", FAST.figures, ["calm"], void="hello varied by 45 %")
    text = page(void, SLOW)
    assert "0 of 2 goals met, 1 not met, 1 void." in text
    assert "| reads | 0.40 × hello | ≥ 0.30 | void |" in text
    assert "- **Void**: hello varied by 45 %.\n- calm" in text


def test_a_part_measured_again_replaces_its_own_section_alone():
    before = page(FAST, SLOW)
    better = Section("post", "How post is measured.", [Figure("writes", "0.07 × hello", "≥ 0.06", met=True)])
    after = page(better, before=before)
    assert "2 of 2 goals met" in after
    assert sections_of(after)["get"] == sections_of(before)["get"]
    assert "0.02" not in after


def test_sections_keep_their_order_whichever_was_measured_first():
    late = page(FAST, before=page(SLOW))
    assert list(sections_of(late)) == ["get", "post"]
    assert page(before=late) == late


def test_a_page_without_sections_is_a_page():
    assert sections_of("") == {}
    assert "0 of 0 goals met" in page()
