"""Operators: the small changes of a source file that its tests should notice.

Jia and Harman, "An Analysis and Survey of the Development of Mutation Testing", IEEE Transactions on Software
Engineering, 2011. Annotations, decorators, imports and docstrings are not changed, and neither are arguments that can
make no difference: ``strict`` of zip, the type of an array of whole numbers, the alphabet of a pattern that names it.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIDTH = 100
"""Length of the expression shown around a change."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_REMOVABLE_CALLS = ("abs", "sorted", "set", "frozenset", "np.abs", "np.sort", "math.ceil", "math.floor")
_GUARDS = ("strict", "dtype", "use_threads")
"""Keywords that guard against our own slips, or state numpy's default."""
_UNTOUCHED_ARGUMENTS = ("np.int64", "np.float64", "np.bool_", "re.ASCII")
_UNTOUCHED_FIELDS = ("annotation", "returns", "decorator_list", "format_spec", "type_comment", "bases")

Slot = tuple[ast.AST, str, int | None]
"""Position of a node: its parent, the parent's field, and the index in it if the field is a list."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Mutant:
    """One change of one file."""

    file: str
    function: str
    """The outermost function or method around the change; empty if it is at the level of the module or a class."""
    line: int
    end_line: int
    """Last of the lines that run together with the changed code."""
    span: tuple[int, int]
    """First and last line of the function, or of the statement if there is no function."""
    before: str
    after: str
    changed: Callable[[], str] = field(repr=False)
    """The source of the file with the change."""
    ordinal: int = 1
    """Distinguishes changes of one function that read the same."""

    @property
    def name(self) -> str:
        """Identifies the mutant as long as the code around it is unchanged."""
        number = f" ({self.ordinal})" if self.ordinal > 1 else ""
        return f"{self.file}::{self.function}::{self.before} → {self.after}{number}"


def mutants_of(root: Path, file: str, functions: Sequence[str] | None = None) -> list[Mutant]:
    """All mutants of a file, or only those of the named functions (and methods, as ``Class.method``)."""
    tree = ast.parse((root / file).read_text("utf-8"))
    found = list(_Walk(file, tree).mutants())
    if functions is not None:
        found = [mutant for mutant in found if mutant.function in functions]
    seen: Counter[str] = Counter()
    for mutant in found:
        seen[mutant.name] += 1
        mutant.ordinal = seen[mutant.name]
    return found


@dataclass
class _Place:
    """A node with its ancestors."""

    node: ast.AST
    slot: Slot
    above: tuple[ast.AST, ...]


class _Walk:
    """Walks a tree and yields the mutants of every node."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.tree = tree

    def mutants(self) -> Iterator[Mutant]:
        for index, top in enumerate(self.tree.body):
            if not _is_frame(top):
                yield from self._below(_Place(top, (self.tree, "body", index), (self.tree,)))

    def _below(self, place: _Place) -> Iterator[Mutant]:
        for slot, new, node in _changes(place):
            yield self._mutant(place, slot, new, node)
        above = (*place.above, place.node)
        for name, value in ast.iter_fields(place.node):
            if name in _UNTOUCHED_FIELDS:
                continue
            children = value if isinstance(value, list) else [value]
            for index, child in enumerate(children):
                if isinstance(child, ast.AST) and not _is_docstring(place.node, child) and not _is_guard(child):
                    where = (place.node, name, index if isinstance(value, list) else None)
                    yield from self._below(_Place(child, where, above))

    def _mutant(self, place: _Place, slot: Slot, new: ast.AST | None, shown: ast.AST) -> Mutant:
        chain = (*place.above, place.node)
        first, last = _lines(chain)
        context = _context(chain, shown)
        before = _text(context)
        old = _get(slot)
        _set(slot, new)
        after = "removed" if _is_removed(context, old, new) else _text(context if context is not old else new or old)
        _set(slot, old)
        return Mutant(
            file=self.file,
            function=_function_of(chain),
            line=first,
            end_line=last,
            span=_span_of(chain),
            before=before,
            after=after,
            changed=lambda: self._changed(slot, new),
        )

    def _changed(self, slot: Slot, new: ast.AST | None) -> str:
        old = _get(slot)
        _set(slot, new)
        text = ast.unparse(self.tree)
        _set(slot, old)
        return text + "\n"


def _is_frame(statement: ast.stmt) -> bool:
    """Whether a statement of a module only connects it with others."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    if isinstance(statement, ast.If):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names == ["__all__"] or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))


def _is_docstring(parent: ast.AST, child: ast.AST) -> bool:
    """Also the text below a field, which documents it."""
    return isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) and isinstance(child.value.value, str)


def _is_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg in _GUARDS


def _is_removed(shown: ast.AST, old: ast.AST, new: ast.AST | None) -> bool:
    """Whether the change removes the shown expression."""
    return isinstance(shown, ast.match_case) or (shown is old and (new is None or isinstance(new, ast.Pass)))


def _get(slot: Slot) -> ast.AST:
    parent, name, index = slot
    value = getattr(parent, name)
    found: ast.AST = value if index is None else value[index]
    return found


def _set(slot: Slot, new: ast.AST | None) -> None:
    parent, name, index = slot
    if index is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[index] = new


def _function_of(chain: Sequence[ast.AST]) -> str:
    names: list[str] = []
    for node in chain:
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, Function):
            return ".".join([*names, node.name])
    return ""


def _span_of(chain: Sequence[ast.AST]) -> tuple[int, int]:
    node: Any = next((each for each in chain if isinstance(each, Function)), chain[1])
    return node.lineno, node.end_lineno


def _lines(chain: Sequence[ast.AST]) -> tuple[int, int]:
    """The lines of the innermost simple statement, or of the expression that heads a compound one."""
    position = max(place for place, node in enumerate(chain) if isinstance(node, ast.stmt))
    statement = chain[position]
    if any(hasattr(statement, name) for name in ("body", "cases")) and position + 1 < len(chain):
        statement = chain[position + 1]
        if not hasattr(statement, "lineno") and position + 2 < len(chain):
            statement = chain[position + 2]
    line = getattr(statement, "lineno", getattr(chain[position], "lineno", 1))
    return line, getattr(statement, "end_lineno", line) or line


def _context(chain: Sequence[ast.AST], shown: ast.AST) -> ast.AST:
    """The widest expression around a change that is short enough to show."""
    context = shown
    for node in reversed(chain):
        if not isinstance(node, ast.expr | ast.keyword | ast.comprehension | ast.arguments | ast.Slice):
            if isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.Raise | ast.AnnAssign):
                context = node if len(_text(node)) <= WIDTH else context
            break
        if isinstance(node, ast.expr) and not isinstance(node, ast.Slice) and len(_text(node)) <= WIDTH:
            context = node
    return context


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.match_case):
        return f"case {ast.unparse(node.pattern)}"
    if isinstance(node, ast.ExceptHandler):
        return f"except {ast.unparse(node.type)}" if node.type else "except"
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 2 * WIDTH else f"{text[: 2 * WIDTH]}…"


# --- the changes of one node -----------------------------------------------------------------------------------------

_Change = tuple[Slot, ast.AST | None, ast.AST]
"""The slot to change, what to put there, and the node that shows the change."""


def _changes(place: _Place) -> Iterator[_Change]:
    node, slot = place.node, place.slot
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                for other in _COMPARISONS[type(operator)]:
                    yield (node, "ops", index), other(), node
        case ast.BoolOp():
            yield (node, "op", None), ast.Or() if isinstance(node.op, ast.And) else ast.And(), node
            for index in range(len(node.values)):
                rest = [value for position, value in enumerate(node.values) if position != index]
                yield slot, rest[0] if len(rest) == 1 else _like(node, ast.BoolOp(node.op, rest)), node
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield slot, node.operand, node
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            yield (node, "op", None), _ARITHMETIC[type(node.op)](), node
        case ast.AugAssign():
            if type(node.op) in _ARITHMETIC:
                yield (node, "op", None), _ARITHMETIC[type(node.op)](), node
            yield slot, _like(node, ast.Assign([node.target], node.value)), node
            yield slot, _like(node, ast.Pass()), node
        case ast.Assign() | ast.AnnAssign(value=ast.expr()) if any(isinstance(a, Function) for a in place.above):
            yield slot, _like(node, ast.Pass()), node
        case ast.Constant():
            for value in _other_constants(node.value):
                yield (node, "value", None), value, node  # type: ignore[misc]
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield (node, "value", None), _like(value, ast.Constant(None)), node
        case ast.Raise():
            yield slot, _like(node, ast.Pass()), node
        case ast.Expr():
            yield slot, _like(node, ast.Pass()), node
        case ast.Break():
            yield slot, _like(node, ast.Continue()), node
        case ast.Continue():
            yield slot, _like(node, ast.Break()), node
        case ast.Lambda():
            yield (node, "body", None), _like(node.body, ast.Constant(None)), node
        case ast.Call():
            yield from _call_changes(node, slot)
        case ast.Slice():
            for name in ("lower", "upper"):
                if getattr(node, name) is not None:
                    yield (node, name, None), None, node
        case ast.If() | ast.While() | ast.IfExp():
            if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield (node, "test", None), _like(node.test, ast.UnaryOp(ast.Not(), node.test)), node.test
        case ast.comprehension():
            for index in range(len(node.ifs)):
                rest = [test for position, test in enumerate(node.ifs) if position != index]
                yield (node, "ifs", None), rest, place.above[-1]  # type: ignore[misc]
        case ast.ExceptHandler(type=ast.Tuple() as caught):
            for index in range(len(caught.elts)):
                rest = [each for position, each in enumerate(caught.elts) if position != index]
                yield (node, "type", None), _like(caught, ast.Tuple(rest, ast.Load())), node
        case ast.ExceptHandler(type=ast.expr() as caught):
            yield (node, "type", None), _like(caught, ast.Tuple([], ast.Load())), node
        case ast.Match():
            for index in range(len(node.cases)) if len(node.cases) > 1 else ():
                others = [case for position, case in enumerate(node.cases) if position != index]
                yield (node, "cases", None), others, node.cases[index]  # type: ignore[misc]
        case _:
            return


def _like(old: ast.AST, new: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(ast.copy_location(new, old))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _other_constants(value: object) -> list[object]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1] if value > 0 else [value + 1]
        case float():
            return [value + 1]
        case str():
            return [f"XX{value}XX" if value else "XX"]
        case bytes():
            return [b"XX" + value]
        case _:
            return []


def _call_changes(node: ast.Call, slot: Slot) -> Iterator[_Change]:
    for index, argument in enumerate(node.args):
        if ast.unparse(argument) not in _UNTOUCHED_ARGUMENTS:
            others = [each for position, each in enumerate(node.args) if position != index]
            yield (node, "args", None), others, node  # type: ignore[misc]
    for index, dropped in enumerate(node.keywords):
        if isinstance(dropped.value, ast.Constant) and isinstance(dropped.value.value, bool):
            continue  # It is turned round as a constant.
        if _is_guard(dropped):
            continue
        rest = [keyword for position, keyword in enumerate(node.keywords) if position != index]
        yield (node, "keywords", None), rest, node  # type: ignore[misc]
    if ast.unparse(node.func) in _REMOVABLE_CALLS and len(node.args) == 1 and not node.keywords:
        yield slot, node.args[0], node
