import csv
import gzip
import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.raw import RawTable
from formats.reading import read_table
from formats.sniffing import sniff
from formats.tables.delimited import PieceFile
from tests.formats.limits import limits_of


def rows_of(table: RawTable) -> list[list[str]]:
    columns = [[str(text) for text in column.values[column.codes]] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def test_reads_every_cell_as_the_text_it_is(limits):
    table = read_table([b'name,age\n"Gomez, Ana",007\nNA,\n null ,1e5\n'], "csv", {}, limits)
    assert table.names == ["name", "age"]
    assert table.n == 3
    assert rows_of(table) == [["Gomez, Ana", "007"], ["NA", ""], [" null ", "1e5"]]


def test_each_distinct_text_is_kept_once(limits):
    table = read_table([b"a,b\n" + b"x,1\ny,1\n" * 1000], "csv", {}, limits)
    assert [sorted(column.values) for column in table.columns] == [["x", "y"], ["1"]]
    assert str(table.columns[0].codes.dtype) == "int32"


@pytest.mark.parametrize(
    "content", [b"a;b\r\n1;2\r\n3;4\r\n", b"a;b\n1;2\n3;4", b"\n\r\na;b\n1;2\n\n3;4\n\n", b"a;b\r1;2\r3;4"]
)
def test_accepts_every_kind_of_line_end(content, limits):
    assert rows_of(read_table([content], "csv", {"delimiter": ";"}, limits)) == [["1", "2"], ["3", "4"]]


def test_reads_tabs_marks_and_latin_letters(limits):
    tabs = "año\tb\nñ\t2\n"
    assert rows_of(read_table([tabs.encode()], "tsv", {}, limits)) == [["ñ", "2"]]
    assert read_table([b"\xef\xbb\xbf" + tabs.encode()], "tsv", {}, limits).names == ["año", "b"]
    assert read_table([tabs.encode("latin-1")], "tsv", {"encoding": "latin-1"}, limits).names == ["año", "b"]


def test_texts_that_differ_only_in_normal_form_are_one(limits):
    table = read_table(["cafe\u0301,b\ne\u0301,1\n\u00e9,2\n".encode()], "csv", {}, limits)
    assert table.names[0] == "caf\u00e9"
    assert list(table.columns[0].values) == ["\u00e9"]
    assert list(table.columns[0].codes) == [0, 0]


def test_a_quoted_cell_may_hold_line_ends_and_span_pieces(limits):
    content = b'a,"b\nc"\n"x\ny","say ""hi"""\n'
    table = read_table((content[i : i + 1] for i in range(len(content))), "csv", {}, limits)
    assert table.names == ["a", "b\nc"]
    assert rows_of(table) == [["x\ny", 'say "hi"']]


def test_a_blank_line_is_a_missing_cell_where_there_is_one_column(limits):
    assert rows_of(read_table([b"a\n1\n\n3\n"], "csv", {}, limits)) == [["1"], [""], ["3"]]


@pytest.mark.parametrize("row", [b"cnry_1\n", b"cnry_1,2,3\n"])
def test_names_the_ragged_row_far_down_the_file_and_not_its_content(row, limits, refused):
    def stored() -> Iterator[bytes]:
        yield b"a,b\n"
        for _ in range(100):
            yield b"1,2\n" * 1000
        yield row + b"1,2\n"

    error = refused(read_table, stored(), "csv", {}, limits)
    assert (error.rule, error.row) == ("ragged_row", 100_001)
    assert "cnry" not in str(error)


def test_row_numbers_go_on_over_blocks_and_quoted_lines(limits, refused):
    content = b"a,b\n" + b'"x\ny",' + b"z" * 90_000 + b"\n"
    rows = content + (b'"x\ny",' + b"z" * 90_000 + b"\n") * 299 + b"1\n"
    assert refused(read_table, [rows], "csv", {}, limits).row == 301


def test_names_the_line_that_is_not_utf8(limits, refused):
    error = refused(read_table, [b"a,b\n" + b"1,2\n" * 7 + b"3,\xff\n"], "csv", {"encoding": "utf-8"}, limits)
    assert (error.rule, error.detail.split(" is ")[0]) == ("encoding", "line 9")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "empty_file"),
        (b"\n\n", "empty_file"),
        (b"a,b\n", "no_records"),
        (b"a,a\n1,2\n", "duplicate_column"),
        (b"e\xcc\x81,\xc3\xa9\n1,2\n", "duplicate_column"),
        (b"a, \n1,2\n", "empty_column_name"),
        (b"a,b\n1,\x00\n", "nul_bytes"),
        (b"a\xff,b\n1,2\n", "encoding"),
        (b"a,b\n1," + b"x" * 100_001 + b"\n", "cell_too_long"),
        (b'a,b\n1,"' + b"x\n" * (9 << 20), "row_too_long"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4], "compression"),
    ],
)
def test_refuses_what_cannot_be_read(content, rule, limits, refused):
    assert refused(read_table, [content], "csv", {"encoding": "utf-8"}, limits).rule == rule


def test_names_the_column_and_row_of_a_bad_cell(limits, refused):
    error = refused(read_table, [b"a,b\n1,2\n1,\x00\n"], "csv", {}, limits)
    assert (error.column, error.row) == ("b", 2)


@pytest.mark.parametrize("failure", [ConnectionResetError, ValueError, MemoryError])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_store_that_fails_is_no_invalid_file(failure, pack, limits):
    def stored() -> Iterator[bytes]:
        content = pack(b"a,b\n" + b"1,2\n" * 1000)
        yield content[: len(content) // 2]
        raise failure

    with pytest.raises(failure):
        read_table(stored(), "csv", {}, limits)


def test_keeps_the_limits_on_rows_and_columns(refused):
    assert refused(read_table, [b"a,b\n1,2\n3,4\n"], "csv", {}, limits_of(max_rows=1)).rule == "too_many_rows"
    assert refused(read_table, [b"a,b\n1,2\n"], "csv", {}, limits_of(max_columns=1)).rule == "too_many_columns"
    assert refused(read_table, [b"x"], "xls", {}, limits_of()).rule == "unknown_format"


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(
    st.integers(1, 4).flatmap(lambda w: st.lists(st.lists(CELLS, min_size=w, max_size=w), min_size=1, max_size=8)),
    st.sampled_from(",;\t|"),
)
@effort(deadline=None, max_examples=3 * effort().max_examples // 2)
def test_reads_what_a_csv_writer_wrote(rows, delimiter):
    import unicodedata

    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(f"c{i}" for i in range(len(rows[0])))
    writer.writerows(rows)
    table = read_table([text.getvalue().encode()], "csv", {"delimiter": delimiter, "encoding": "utf-8"}, limits_of())
    assert rows_of(table) == [[unicodedata.normalize("NFC", cell) for cell in row] for row in rows]


def test_a_piece_file_gives_what_is_asked_and_counts_it():
    file = PieceFile(iter([b"abc", b"", b"defg"]))
    assert [file.read(2), file.read(4), file.read(), file.read(1)] == [b"ab", b"cdef", b"g", b""]
    assert file.passed == 7


def test_all_rows_of_another_length_are_counted_by_the_worker(limits, refused):
    content = b"a,b\n" + b"1,2\n" * 7 + b"3\n4\n" + b"1,2\n" * 7 + b"5,6,7\n"
    error = refused(read_table, [content], "csv", {"encoding": "utf-8"}, limits)
    assert (error.rule, error.row) == ("ragged_row", 8)
    assert error.detail == "row 8 has 1 cell; the header has 2; 3 rows of the file are not as long as the header"


def test_a_damaged_row_of_another_length_shows_nothing_of_itself(limits, refused, capfd):
    error = refused(read_table, [b"a,b\n1,2\n3\xce\n"], "csv", {"encoding": "utf-8"}, limits)
    assert error.rule == "encoding"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_reads_utf_16_if_it_is_stated(limits, encoding):
    content = "\ufeffnom;edat\nÀnna;7\n".encode("utf-16-le" if encoding == "utf-16" else encoding)
    seen = sniff("table", {"encoding": encoding}, "a.csv", content, True, limits)
    table = read_table([content[:5], content[5:]], "csv", seen.details, limits)
    assert (seen.columns, table.names) == (["nom", "edat"], ["nom", "edat"])
    assert list(table.columns[0].values) == ["Ànna"]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("title", ["", "Altes de maig\n\n"])
def test_reads_utf_16_of_which_a_byte_order_mark_tells(limits, order, title):
    content = f"\ufeff{title}nom;edat\nÀnna;7\nŁukasz;8\nZoë;9\nÅsa;10\n".encode(order)
    seen = sniff("table", {}, "a.csv", content, True, limits)
    # Pieces that end in the middle of a letter, and of the mark.
    table = read_table([content[:1], content[1:15], content[15:]], "csv", seen.details, limits)
    assert (seen.details["encoding"], seen.columns, table.names) == ("utf-16", ["nom", "edat"], ["nom", "edat"])
    assert rows_of(table) == [["Ànna", "7"], ["Łukasz", "8"], ["Zoë", "9"], ["Åsa", "10"]]


@pytest.mark.parametrize("order", ["utf-32-le", "utf-32-be"])
def test_four_bytes_for_a_letter_are_not_taken_for_two(limits, refused, order):
    content = "\ufeffnom;edat\nÀnna;7\n".encode(order)
    error = refused(sniff, "table", {}, "a.csv", content, True, limits)
    assert (error.rule, "UTF-32" in error.detail) == ("encoding", True)


@pytest.mark.parametrize(
    ("content", "decimal"),
    [
        (b'a,b\n"1.234,56",x\n', ","),
        (b'a,b\n"1,234.56",x\n', "."),
        (b'a,b\n"1,234",x\n', "."),
        (b"a;b\n1.234,56;x\n", ","),
        ("a;b\n1\u202f234,5;x\n".encode(), ","),
        (b"a;b\n1'234.5;x\n", "."),
    ],
)
def test_the_decimal_mark_is_told_from_marks_between_thousands(limits, content, decimal):
    assert sniff("table", {}, "a.csv", content, True, limits).details["decimal"] == decimal
