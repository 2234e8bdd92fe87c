"""Rules: every reason why a file is refused, with its title, its meaning and what to do.

A fault carries the code of its rule; docs/refusals.md lists them all. A test compares this table with the code.
"""

RULES: dict[str, tuple[str, str, str]] = {
    # --- sizes ---
    "too_large": (
        "The file is too large",
        "The file has more bytes than this service accepts.",
        "Compress it (gzip, zstandard), use Parquet, or ask the operator for a higher limit.",
    ),
    "decompression_bomb": (
        "The compressed file grows too much",
        "Decompressed, the file is many times larger than its bytes, as files are that are made to fill a disk.",
        "Send it with less compression or without any.",
    ),
    "too_many_columns": (
        "Too many columns",
        "The file has more columns than this service accepts.",
        "Leave out columns that no release needs.",
    ),
    "too_many_rows": (
        "Too many rows",
        "The file has more rows, nodes or edges than this service accepts.",
        "Split the file, or ask the operator for a higher limit.",
    ),
    "cell_too_long": (
        "A cell is too long",
        "A cell, or the name of a column, has more bytes than this service accepts.",
        "Leave out columns of long texts. If no cell is that long, look for a quote that does not end.",
    ),
    "row_too_long": (
        "A row is too long",
        "A row has more bytes than can be read at once, often because a quote does not end.",
        "Look for a quote that does not end.",
    ),
    # --- text ---
    "empty_file": ("The file is empty", "The file has no bytes.", "Send the file again; it may have been cut off."),
    "empty": ("The JSON is empty", "A line or a file of JSON has no content.", "Remove the line or send the document."),
    "wrong_format": (
        "Not the expected format",
        "The file begins like one of another format than the one that was expected.",
        "State the format in the metadata of the upload, or save the file in another one.",
    ),
    "unknown_format": (
        "Unknown format",
        "The format is not recognized, or does not fit this kind of dataset.",
        "State the format in the metadata of the upload; the API document lists those of each kind.",
    ),
    "unreadable": (
        "The file cannot be read",
        "The file is damaged, incomplete, or not of the format that its first bytes promise.",
        "Open it in the program that wrote it, and save it again.",
    ),
    "compression": (
        "The compressed file is damaged",
        "The compressed file ends early, is damaged, or has more after its end.",
        "Compress the file again, and send it in one piece.",
    ),
    "delimiter": (
        "Wrong delimiter",
        "The delimiter that the metadata states is not one ASCII character, or does not occur in the file.",
        "State the delimiter that the file uses, or leave it out to have it recognized.",
    ),
    "encoding": (
        "Wrong encoding",
        "Some bytes are not text in the encoding of the file, or the encoding is not supported.",
        "State the encoding in the metadata of the upload, or save the file as UTF-8.",
    ),
    "nul_bytes": ("A NUL character", "A cell or a name has a NUL character.", "Remove it; texts have none."),
    "nul": ("A NUL character in JSON", "A text in JSON has a NUL character.", "Remove it; texts have none."),
    "surrogate": (
        "Half of a character",
        "A text in JSON has half of a surrogate pair, which is no character.",
        "Write the file again with a program that writes whole characters.",
    ),
    "quoting": (
        "A quote is wrong",
        "A quote does not end, or is inside a cell that is not quoted.",
        "Put the cell in quotes and double the quotes inside it, as programs for spreadsheets do.",
    ),
    # --- records ---
    "no_header": (
        "No header",
        "The first line does not name the columns.",
        "Add a first line with one name for each column.",
    ),
    "no_records": ("No records", "The file has no rows, nodes or edges.", "Send a file with content."),
    "no_columns": ("No columns", "The file has no columns.", "Send a file with at least one column."),
    "empty_column_name": ("A column has no name", "A cell of the header is empty.", "Give every column a name."),
    "duplicate_column": (
        "Two columns have the same name",
        "Columns, or attributes of nodes, are distinguished by their names.",
        "Rename one of them.",
    ),
    "reserved_column": (
        "The name of a column is reserved",
        "Releases of graphs use this name for nodes, ends of edges or times.",
        "Rename the column.",
    ),
    "ragged_row": (
        "A row has too few or too many cells",
        "Every row needs as many cells as the header names.",
        "Correct the row; often a cell with the delimiter in it lacks its quotes.",
    ),
    "different_keys": (
        "Rows have different members",
        "Every object needs the members of the first one.",
        "Write a missing value as null instead of leaving the member out.",
    ),
    "nested_value": (
        "A value is a list or an object",
        "A cell holds one value.",
        "Make a column of each member, or leave the column out.",
    ),
    "nested": (
        "An attribute holds several values",
        "A cell holds one value; this one is a collection.",
        "Make a column of each member, or leave the attribute out.",
    ),
    "unsupported_type": (
        "Unsupported type of column",
        "A column of the Parquet file is nested, or has a type without a meaning as a cell.",
        "Convert the column to text, a number, a date or a time.",
    ),
    "not_a_number": (
        "Not a finite number",
        "A number is infinite, or NaN in JSON.",
        "Write a missing value as an empty cell or null.",
    ),
    "number_range": (
        "A number is too large",
        "A number in JSON has too many digits for a 64-bit number.",
        "Write it as text.",
    ),
    "formula": (
        "A formula without a value",
        "The workbook stores a formula, but not its result.",
        "Open the workbook, recalculate it and save it.",
    ),
    "unknown_sheet": (
        "No such sheet",
        "The workbook has no sheet of the name that the metadata states.",
        "State a sheet of the workbook, or none to read the first.",
    ),
    "encrypted": (
        "The workbook has a password",
        "An encrypted workbook cannot be read.",
        "Save it without a password.",
    ),
    # --- JSON and XML ---
    "malformed_json": (
        "Not the expected JSON",
        "The text is not JSON, or not the objects and lists that this format consists of.",
        "Compare the file with the example of its format.",
    ),
    "json_depth": (
        "JSON is nested too deeply",
        "Lists and objects are nested more than any format needs.",
        "Write the records as flat objects.",
    ),
    "duplicate_key": (
        "Two members have the same name",
        "An object in JSON has two members of the same name, so one of them would be lost.",
        "Remove or rename one of them.",
    ),
    "dtd": (
        "A document type declaration",
        "Such declarations can refer to other files and grow without end, so they are refused.",
        "Remove the `<!DOCTYPE …>` from the file.",
    ),
    "malformed_xml": (
        "Not the expected XML",
        "The file is not well-formed XML, or not a document of its format.",
        "Save it again in the program that wrote it.",
    ),
    "xml_depth": (
        "XML is nested too deeply",
        "Elements are nested more than any format needs.",
        "Save it again in the program that wrote it.",
    ),
    # --- graphs ---
    "malformed_gml": (
        "Not GML",
        "The file does not have the lists of keys and values that GML consists of.",
        "Save it again in the program that wrote it.",
    ),
    "gml_depth": (
        "GML is nested too deeply",
        "Lists are nested more than any graph needs.",
        "Leave out attributes that are lists.",
    ),
    "repeated_key": ("A key occurs twice", "A node or an edge has the same key twice.", "Remove one of them."),
    "unknown_key": (
        "An attribute is not declared",
        "A node has an attribute that the file does not declare.",
        "Declare the attribute at the beginning of the file, or remove it.",
    ),
    "malformed_pajek": (
        "Not the expected Pajek",
        "The file does not have the sections and numbers of a Pajek network.",
        "Save it again in the program that wrote it.",
    ),
    "adjacency_list": (
        "An adjacency list",
        "A row lists neighbors or attributes where the format has one edge.",
        "Write one edge per row: its source and its target.",
    ),
    "adjacency_matrix": (
        "An adjacency matrix",
        "The rows look like a matrix of zeros and ones instead of edges.",
        "Write one edge per row: its source and its target.",
    ),
    "empty_id": ("An id is missing", "A node has no id, or an edge lacks one of its ends.", "Complete or remove it."),
    "duplicate_node": ("Two nodes have the same id", "Nodes are distinguished by their ids.", "Remove or rename one."),
    "unknown_node": (
        "An edge names an unknown node",
        "The file lists its nodes, and an edge names one that is not listed.",
        "Add the node or remove the edge.",
    ),
    "only_self_loops": (
        "No edge is left",
        "All edges join a node to itself; such edges are dropped.",
        "Check which columns are source and target.",
    ),
    "self_loops": (
        "Edges join a node to itself",
        "The upload is strict, which refuses such edges instead of dropping them.",
        "Remove them, or upload without `strict`.",
    ),
    "repeated_edges": (
        "Edges are repeated",
        "The upload is strict, which refuses repeated edges instead of merging them.",
        "Remove them, or upload without `strict`.",
    ),
    "hyperedge": ("Hyperedges or ports", "An edge joins two nodes, without ports.", "Write pairs of nodes instead."),
    "nested_graph": (
        "More than one graph",
        "The file has several graphs, or a node inside another one.",
        "Upload each graph as a dataset of its own.",
    ),
    "mixed_edges": (
        "Directed and undirected edges",
        "Some edges are directed and others are not.",
        "Write an undirected edge as two directed ones, or leave the directions out.",
    ),
    # --- time ---
    "no_window": (
        "No window",
        "A temporal graph is cut into snapshots, and the metadata does not state how.",
        'State `window`, such as `"day"` or `{"seconds": 600}`.',
    ),
    "time": (
        "An edge has no time",
        "A cell in the column of times cannot be read as a time or as the number of a snapshot.",
        "Correct the cell, or state in `columns` which column has the times.",
    ),
    "columns": (
        "Columns do not fit the file",
        "`columns` does not name every column once, with source, target and time among them.",
        "Name every column of the file in order.",
    ),
    "unclear_columns": (
        "It is unclear which column has the times",
        "The columns could be read in more than one way.",
        'State `columns` in the metadata, such as `["source", "target", "time"]`.',
    ),
    "too_many_snapshots": (
        "Too many snapshots",
        "The windows cut the time into more snapshots than can be protected.",
        "Choose a longer window.",
    ),
    "too_many_pairs": (
        "Too many pairs of nodes over time",
        "Snapshot and pair of nodes together are one number, and there are more than numbers.",
        "Choose a longer window.",
    ),
}
"""Code → title, meaning, what to do."""
