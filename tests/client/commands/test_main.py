"""The command line by itself: help, refusals and shell completion."""

import subprocess
import sys
from pathlib import Path

import pytest
from antifaz_client import Advice
from antifaz_client.commands.completion import words_of
from antifaz_client.commands.init import commented
from antifaz_client.commands.main import build_parser, main
from antifaz_client.policy import read_json
from antifaz_client.terminal.output import print_columns


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == "antifaz 0.1.0\n"


@pytest.mark.parametrize("words", [[], ["no-such-command"], ["publish", "--no-such-option"], ["jobs", "--status", "x"]])
def test_wrong_use_has_a_status_of_its_own(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 64


@pytest.mark.parametrize(
    "words",
    [
        ["publish"],
        ["publish", "a.csv"],
        ["compare", "a.csv"],
        ["init"],
        ["compare", "a.csv", "p.json", "--vary", "k=2"],
    ],
)
def test_arguments_that_do_not_go_together_are_explained(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "p.json").write_text("{}")
    assert main([*words, "--url", "127.0.0.1:9", "--token", "x"]) == 64
    assert capsys.readouterr().err.startswith("antifaz: ")


def test_nothing_in_a_column_is_cut(capsys):
    print_columns(("id", "name"), [("f" * 300, "a"), ("b", None)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == f"{'f' * 300}  a"
    assert lines[2].split() == ["b", "-"]


def test_the_shell_completes_commands_and_their_options(tmp_path):
    words = words_of(build_parser())
    assert {"up", "init", "validate", "publish", "compare", "jobs", "report", "verify"} <= set(words[""])
    assert "--supersedes" in words["publish"]
    assert {"create", "list", "revoke", "--days"} <= set(words["tokens"])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["antifaz", "pub"], "publish"),
        (["antifaz", "publish", "--tri"], "--trial"),
        (["antifaz", "completion", "zs"], "zsh"),
    ],
)
def test_bash_runs_the_script(line, expected, tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)
    asked = f'. {script}; COMP_WORDS=({" ".join(line)}); COMP_CWORD={len(line) - 1}; _antifaz; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [expected]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_too(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "publish" in capsys.readouterr().out


def test_a_written_policy_reads_as_the_proposed_one_whatever_the_reasons_say():
    policy = {
        "kind": "table",
        "attributes": {'a "b"': {"role": "identifier"}, "ñ": {"role": "quasi_identifier"}},
        "privacy_unit": 'a "b"',
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "mondrian"},
    }
    advice = Advice(
        {
            "policy": policy,
            "columns": [
                {"name": 'a "b"', "role": "identifier", "reason": 'unique\nand "named" // so', "warnings": ["a } b"]},
                {"name": "ñ", "role": "quasi_identifier", "reason": "known to many", "warnings": []},
            ],
            "privacy_unit": {"column": 'a "b"', "reason": "repeats"},
            "choices": [{"k": 5, "risk": 0.2, "loss": 0.31}],
            "warnings": ["look twice"],
        },
        "d",
    )
    text = commented(advice)
    assert read_json(text) == policy
    for words in ('unique and "named" // so', "known to many", "repeats", "look twice", "k = 5: risk 0.2, loss 0.31"):
        assert f"// {words}" in text or f"//   {words}" in text


def test_every_command_says_what_it_does(capsys):
    for name in words_of(build_parser())[""]:
        if not name.startswith("-"):
            with pytest.raises(SystemExit):
                main([name, "--help"])
            assert len(capsys.readouterr().out) > 100


def test_the_documentation_lists_every_command():
    page = (Path(__file__).resolve().parents[3] / "docs" / "cli.md").read_text()
    for name in words_of(build_parser())[""]:
        if not name.startswith("-"):
            assert f"`antifaz {name}" in page, name


def test_no_client_of_a_server_is_loaded_before_a_server_is_started():
    # They take longer to load than all else that a command needs.
    code = (
        "import sys, antifaz_client.commands.main as main; main.build_parser(); "
        "print({'redis', 'psycopg'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"
