"""DynamoDB's expressions: parsed once, and made into functions of an item and the values of a request.

The grammar is that of "Using expressions in DynamoDB" in the developer guide. Names (`#name`) are resolved when an
expression is compiled, so a path is fixed; values (`:value`) differ from request to request and are passed in.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NoReturn, TypeAlias, TypeVar

from infra.local.memory_dynamodb.values import (
    KEY_TYPES,
    TYPES,
    Attributes,
    Value,
    add,
    as_number,
    decimal_text,
    invalid,
    kind_of,
    make_set,
    sort_value,
)

Path: TypeAlias = tuple[str | int, ...]
Values: TypeAlias = Mapping[str, Value]
_Content: TypeAlias = Any
"""A map's dictionary or a list's list."""
_Tree: TypeAlias = "dict[str | int, _Tree]"
"""Steps of paths; one without further steps stands for all that is there."""
_T = TypeVar("_T")

MAX_BYTES = 4096
MAX_OPERATORS = 300
MAX_CHOICES = 100
COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_ORDERS: Mapping[str, Callable[[object, object], bool]] = {
    "<": lambda one, other: one < other,  # type: ignore[operator]
    "<=": lambda one, other: one <= other,  # type: ignore[operator]
    ">": lambda one, other: one > other,  # type: ignore[operator]
    ">=": lambda one, other: one >= other,  # type: ignore[operator]
}
_TOKEN = re.compile(
    r"\s*(?:(?P<word>#[A-Za-z0-9_]+|[A-Za-z_][A-Za-z0-9_]*)|(?P<value>:[A-Za-z0-9_]+)|(?P<number>[0-9]+)"
    r"|(?P<sign><>|<=|>=|[=<>()\[\],.+-]))",
    re.ASCII,
)


# -- what an expression says -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathOperand:
    path: Path


@dataclass(frozen=True, slots=True)
class ValueOperand:
    name: str


@dataclass(frozen=True, slots=True)
class SizeOperand:
    argument: PathOperand | ValueOperand


Operand: TypeAlias = PathOperand | ValueOperand | SizeOperand


@dataclass(frozen=True, slots=True)
class Compare:
    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """attribute_exists, attribute_not_exists, attribute_type, begins_with or contains."""

    name: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Not:
    inner: Condition


@dataclass(frozen=True, slots=True)
class Both:
    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Either:
    left: Condition
    right: Condition


Condition: TypeAlias = Compare | Between | In | Function | Not | Both | Either


@dataclass(frozen=True, slots=True)
class IfNotExists:
    path: PathOperand
    default: Term


@dataclass(frozen=True, slots=True)
class ListAppend:
    first: Term
    second: Term


@dataclass(frozen=True, slots=True)
class Arithmetic:
    sign: str
    left: Term
    right: Term


Term: TypeAlias = PathOperand | ValueOperand | IfNotExists | ListAppend | Arithmetic


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an update: `clause` is SET, REMOVE, ADD or DELETE."""

    clause: str
    path: Path
    term: Term | None


@dataclass(frozen=True)
class Used:
    """The placeholders that an expression uses."""

    names: frozenset[str]
    values: frozenset[str]


@dataclass(frozen=True)
class CompiledCondition:
    node: Condition
    used: Used
    holds: Callable[[Attributes, Values], bool]
    check: Callable[[Values], None]
    """Raise DynamoDBError if a value has a type that its place in the expression does not take."""


@dataclass(frozen=True)
class CompiledUpdate:
    actions: tuple[Action, ...]
    used: Used

    @property
    def paths(self) -> list[Path]:
        return [action.path for action in self.actions]


@dataclass(frozen=True)
class CompiledProjection:
    paths: tuple[Path, ...]
    used: Used


Names: TypeAlias = tuple[tuple[str, str], ...]
"""ExpressionAttributeNames, sorted."""


@lru_cache(2000)
def compile_condition(kind: str, text: str, names: Names) -> CompiledCondition:
    """Compile a condition; `kind` is the parameter's name, as in "ConditionExpression". Raises DynamoDBError."""
    parser = _Parser(kind, text, names)
    node = parser.condition()
    parser.end()
    checks = list(_checks(kind, node))

    def check(values: Values) -> None:
        for one in checks:
            one(values)

    return CompiledCondition(node, parser.used, _function(node), check)


@lru_cache(2000)
def compile_update(text: str, names: Names) -> CompiledUpdate:
    """Compile an update. Raises DynamoDBError."""
    parser = _Parser("UpdateExpression", text, names)
    actions = parser.actions()
    _refuse_overlaps("UpdateExpression", [action.path for action in actions])
    return CompiledUpdate(actions, parser.used)


@lru_cache(500)
def compile_projection(text: str, names: Names) -> CompiledProjection:
    """Compile a projection. Raises DynamoDBError."""
    parser = _Parser("ProjectionExpression", text, names)
    paths = [parser.path()]
    while parser.takes(","):
        paths.append(parser.path())
    parser.end()
    _refuse_overlaps("ProjectionExpression", paths)
    return CompiledProjection(tuple(paths), parser.used)


@cache
def reserved_words() -> frozenset[str]:
    """The words that no attribute may be called by in an expression (developer guide, "Reserved words")."""
    from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

    return frozenset(ReservedKeywords.get_reserved_keywords())


# -- parsing ---------------------------------------------------------------------------------------


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, kind: str, text: str, names: Names) -> None:
        self._kind = kind
        self._names = dict(names)
        self._used_names: set[str] = set()
        self._used_values: set[str] = set()
        self._operators = 0
        if not text.strip():
            self._refuse("The expression can not be empty;")
        if len(text.encode()) > MAX_BYTES:
            self._refuse(f"Expression size has exceeded the maximum allowed size; expression size: {len(text)}")
        self._tokens = self._split(text)
        self._at = 0

    @property
    def used(self) -> Used:
        return Used(frozenset(self._used_names), frozenset(self._used_values))

    def end(self) -> None:
        if self._at < len(self._tokens):
            self._unexpected()

    def takes(self, token: str) -> bool:
        """Step over the sign or keyword if it is next."""
        if self._peek().upper() != token:
            return False
        self._at += 1
        return True

    # conditions

    def condition(self) -> Condition:
        node = self._conjunction()
        while self.takes("OR"):
            self._count()
            node = Either(node, self._conjunction())
        return node

    def _conjunction(self) -> Condition:
        node = self._negation()
        while self.takes("AND"):
            self._count()
            node = Both(node, self._negation())
        return node

    def _negation(self) -> Condition:
        if self.takes("NOT"):
            self._count()
            return Not(self._negation())
        if self.takes("("):
            inside = self._at
            node = self.condition()
            self._expect(")")
            if self._tokens[inside] == "(" and self._closing(inside) == self._at - 2:
                self._refuse("The expression has redundant parentheses;")
            return node
        return self._comparison()

    def _closing(self, at: int) -> int:
        """Return where the parenthesis that opens at `at` is closed."""
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(self._tokens[at], 0)
            if depth == 0:
                return at
            at += 1

    def _comparison(self) -> Condition:
        name = self._peek()
        if name in _FUNCTIONS and self._peek(1) == "(" and name != "size":
            return self._function(name)
        left = self._operand()
        if self.takes("BETWEEN"):
            self._count()
            low = self._operand()
            self._expect("AND")
            return Between(left, low, self._operand())
        if self.takes("IN"):
            self._count()
            self._expect("(")
            choices = self._listed(self._operand)
            if len(choices) > MAX_CHOICES:
                self._refuse(f"The IN operator takes at most {MAX_CHOICES} operands;")
            return In(left, tuple(choices))
        operator = self._peek()
        if operator not in COMPARATORS:
            self._unexpected()
        self._at += 1
        self._count()
        right = self._operand()
        if isinstance(left, PathOperand) and left == right:
            self._refuse(
                "The first operand must be distinct from the remaining operands for this operator or function; "
                f"operator: {operator}, first operand: {_shown(left.path)}"
            )
        return Compare(operator, left, right)

    def _function(self, name: str) -> Function:
        self._count()
        self._at += 2
        arguments = self._listed(self._operand)
        if len(arguments) != _FUNCTIONS[name]:
            self._refuse(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(arguments)}"
            )
        if not isinstance(arguments[0], PathOperand) and name not in ("begins_with", "contains"):
            self._refuse(
                f"Operator or function requires a document path; operator or function: {name}",
            )
        if any(isinstance(one, SizeOperand) for one in arguments):
            self._refuse(f"The function is not allowed to be used this way in an expression; function: {name}")
        return Function(name, tuple(arguments))

    def _operand(self) -> Operand:
        if self._peek() == "size" and self._peek(1) == "(":
            self._count()
            self._at += 2
            arguments = self._listed(self._operand)
            if len(arguments) != 1 or isinstance(arguments[0], SizeOperand):
                self._refuse("Incorrect operands for operator or function; operator or function: size")
            return SizeOperand(arguments[0])
        return self._simple()

    def _simple(self) -> PathOperand | ValueOperand:
        token = self._peek()
        if token.startswith(":"):
            self._at += 1
            self._used_values.add(token)
            return ValueOperand(token)
        return PathOperand(self.path())

    # updates

    def actions(self) -> tuple[Action, ...]:
        actions: list[Action] = []
        seen: set[str] = set()
        while self._at < len(self._tokens):
            clause = self._peek().upper()
            if clause not in ("SET", "REMOVE", "ADD", "DELETE"):
                self._unexpected()
            if clause in seen:
                self._refuse(f'The "{clause}" section can only be used once in an update expression;')
            seen.add(clause)
            self._at += 1
            actions.append(self._action(clause))
            while self.takes(","):
                actions.append(self._action(clause))
        return tuple(actions)

    def _action(self, clause: str) -> Action:
        path = self.path()
        if clause == "REMOVE":
            return Action(clause, path, None)
        self._count()
        if clause == "SET":
            self._expect("=")
            return Action(clause, path, self._sum())
        operand = self._simple()
        if not isinstance(operand, ValueOperand):
            self._refuse(f"Syntax error; {clause} takes a value, not the path {_shown(operand.path)}")
        return Action(clause, path, operand)

    def _sum(self) -> Term:
        left = self._term()
        sign = self._peek()
        if sign not in ("+", "-"):
            return left
        self._at += 1
        self._count()
        return Arithmetic(sign, left, self._term())

    def _term(self) -> Term:
        name = self._peek()
        if self._peek(1) == "(":
            if name not in ("if_not_exists", "list_append"):
                self._refuse(f"Invalid function name; function: {name}")
            self._count()
            self._at += 2
            arguments = self._listed(self._term)
            if len(arguments) != 2:
                self._refuse(
                    "Incorrect number of operands for operator or function; "
                    f"operator or function: {name}, number of operands: {len(arguments)}"
                )
            first, second = arguments
            if name == "list_append":
                return ListAppend(first, second)
            if not isinstance(first, PathOperand):
                self._refuse(f"Operator or function requires a document path; operator or function: {name}")
            return IfNotExists(first, second)
        return self._simple()

    # what both are made of

    def path(self) -> Path:
        steps: list[str | int] = [self._name()]
        while True:
            if self.takes("."):
                steps.append(self._name())
            elif self.takes("["):
                number = self._peek()
                if not number.isdigit():
                    self._unexpected()
                self._at += 1
                steps.append(int(number))
                self._expect("]")
            else:
                return tuple(steps)

    def _name(self) -> str:
        token = self._peek()
        if token.startswith("#"):
            self._at += 1
            self._used_names.add(token)
            if token not in self._names:
                self._refuse(
                    f"An expression attribute name used in the document path is not defined; attribute name: {token}"
                )
            return self._names[token]
        if not (token[:1].isalpha() or token[:1] == "_"):
            self._unexpected()
        if token.upper() in reserved_words():
            self._refuse(f"Attribute name is a reserved keyword; reserved keyword: {token}")
        self._at += 1
        return token

    def _listed(self, one: Callable[[], _T]) -> list[_T]:
        found = [one()]
        while self.takes(","):
            found.append(one())
        self._expect(")")
        return found

    def _expect(self, token: str) -> None:
        if not self.takes(token):
            self._unexpected()

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _count(self) -> None:
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            self._refuse(f"The expression contains too many operators; operator count: {self._operators}")

    def _split(self, text: str) -> list[str]:
        tokens: list[str] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None:
                self._refuse(f'Syntax error; token: "{text[at:].strip()[:1]}", near: "{text[at : at + 20]}"')
            tokens.append(found[0].strip())
            at = found.end()
        return tokens

    def _unexpected(self) -> NoReturn:
        near = " ".join(self._tokens[max(0, self._at - 1) : self._at + 2])
        self._refuse(f'Syntax error; token: "{self._peek() or "<EOF>"}", near: "{near}"')

    def _refuse(self, message: str) -> NoReturn:
        raise invalid(f"Invalid {self._kind}: {message}")


_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
"""Functions of conditions, and how many arguments each takes."""


def _refuse_overlaps(kind: str, paths: Sequence[Path]) -> None:
    for number, one in enumerate(paths):
        for other in paths[number + 1 :]:
            short = min(len(one), len(other))
            if one[:short] == other[:short]:
                wrong = "overlap"
            elif any(one[:at] == other[:at] and type(one[at]) is not type(other[at]) for at in range(1, short)):
                wrong = "conflict"
            else:
                continue
            raise invalid(
                f"Invalid {kind}: Two document paths {wrong} with each other; must remove or rewrite one of these "
                f"paths; path one: {_shown(one)}, path two: {_shown(other)}"
            )


def _shown(path: Path) -> str:
    return f"[{', '.join(str(step) if isinstance(step, str) else f'[{step}]' for step in path)}]"


# -- what a condition is for an item ----------------------------------------------------------------

Getter: TypeAlias = Callable[[Attributes, Values], Value | None]


def value_at(item: Attributes, path: Path) -> Value | None:
    """Return the value at the path, or None."""
    value = item.get(path[0])  # type: ignore[arg-type]
    for step in path[1:]:
        if value is None:
            return None
        if isinstance(step, str):
            value = value["M"].get(step) if "M" in value else None
        else:
            content = value.get("L", ())
            value = content[step] if step < len(content) else None
    return value


def _getter(operand: Operand) -> Getter:
    match operand:
        case ValueOperand(name):
            return lambda item, values: values[name]
        case PathOperand((str() as attribute,)):
            return lambda item, values: item.get(attribute)
        case PathOperand(path):
            return lambda item, values: value_at(item, path)
        case SizeOperand(argument):
            get = _getter(argument)
            return lambda item, values: _size(get(item, values))


def _size(value: Value | None) -> Value | None:
    """The function `size`: None where there is none, so that a comparison with it is false."""
    if value is None:
        return None
    ((kind, content),) = value.items()
    if kind == "B":
        return {"N": str(len(base64.b64decode(content)))}
    return {"N": str(len(content))} if kind in ("S", "L", "M", "SS", "NS", "BS") else None


def _function(node: Condition) -> Callable[[Attributes, Values], bool]:
    match node:
        case Both(left, right):
            first, second = _function(left), _function(right)
            return lambda item, values: first(item, values) and second(item, values)
        case Either(left, right):
            first, second = _function(left), _function(right)
            return lambda item, values: first(item, values) or second(item, values)
        case Not(inner):
            whole = _function(inner)
            return lambda item, values: not whole(item, values)
        case Compare(operator, left, right):
            return _comparison(operator, _getter(left), _getter(right))
        case Between(operand, low, high):
            get, get_low, get_high = _getter(operand), _getter(low), _getter(high)

            def between(item: Attributes, values: Values) -> bool:
                value = get(item, values)
                return _ordered("<=", get_low(item, values), value) and _ordered("<=", value, get_high(item, values))

            return between
        case In(operand, choices):
            get, options = _getter(operand), [_getter(choice) for choice in choices]

            def within(item: Attributes, values: Values) -> bool:
                value = get(item, values)
                return value is not None and any(value == option(item, values) for option in options)

            return within
        case Function(name, arguments):
            return _named_function(name, [_getter(argument) for argument in arguments])


def _comparison(operator: str, left: Getter, right: Getter) -> Callable[[Attributes, Values], bool]:
    if operator in ("=", "<>"):
        wanted = operator == "="

        def equals(item: Attributes, values: Values) -> bool:
            one = left(item, values)
            # A missing attribute equals nothing.
            return (one is not None and one == right(item, values)) is wanted

        return equals
    return lambda item, values: _ordered(operator, left(item, values), right(item, values))


def _ordered(operator: str, one: Value | None, other: Value | None) -> bool:
    if one is None or other is None:
        return False
    kind = kind_of(one)
    if kind != kind_of(other) or kind not in KEY_TYPES:
        return False
    return _ORDERS[operator](sort_value(one), sort_value(other))


def _named_function(name: str, getters: list[Getter]) -> Callable[[Attributes, Values], bool]:
    get, argument = getters[0], getters[-1]
    match name:
        case "attribute_exists":
            return lambda item, values: get(item, values) is not None
        case "attribute_not_exists":
            return lambda item, values: get(item, values) is None
        case "attribute_type":

            def has_type(item: Attributes, values: Values) -> bool:
                value, wanted = get(item, values), argument(item, values)
                return value is not None and wanted is not None and kind_of(value) == wanted.get("S")

            return has_type
        case "begins_with":
            return lambda item, values: _begins(get(item, values), argument(item, values))
        case _:
            return lambda item, values: _contains(get(item, values), argument(item, values))


def _begins(value: Value | None, start: Value | None) -> bool:
    if value is None or start is None or kind_of(value) != kind_of(start):
        return False
    if "B" in value:
        return base64.b64decode(value["B"]).startswith(base64.b64decode(start["B"]))
    return "S" in value and str(value["S"]).startswith(start["S"])


def _contains(value: Value | None, part: Value | None) -> bool:
    if value is None or part is None:
        return False
    ((kind, content),), ((part_kind, wanted),) = value.items(), part.items()
    if kind == "L":
        return part in content
    if kind == "B" and part_kind == "B":
        return base64.b64decode(wanted) in base64.b64decode(content)
    if kind == "S" and part_kind == "S":
        return wanted in content
    return kind == f"{part_kind}S" and wanted in content


def _checks(kind: str, node: Condition) -> Iterable[Callable[[Values], None]]:
    """Yield the checks of the values that need no item."""
    match node:
        case Both(left, right) | Either(left, right):
            yield from _checks(kind, left)
            yield from _checks(kind, right)
        case Not(inner):
            yield from _checks(kind, inner)
        case Compare(operator, left, right):
            for operand in (left, right):
                yield from _size_checks(kind, operand)
                if operator in _ORDERS:
                    yield from _type_check(kind, operator, operand, KEY_TYPES)
        case Between(operand, low, high):
            for one in (operand, low, high):
                yield from _size_checks(kind, one)
                yield from _type_check(kind, "BETWEEN", one, KEY_TYPES)
            if isinstance(low, ValueOperand) and isinstance(high, ValueOperand):
                yield lambda values: _check_bounds(kind, values[low.name], values[high.name])
        case In(operand, choices):
            for one in (operand, *choices):
                yield from _size_checks(kind, one)
        case Function("attribute_type", (_, argument)):
            yield lambda values: _check_type_name(kind, argument, values)
        case Function("begins_with", arguments):
            for one in arguments:
                yield from _type_check(kind, "begins_with", one, frozenset({"S", "B"}))
        case Function():
            pass


def _size_checks(kind: str, operand: Operand) -> Iterable[Callable[[Values], None]]:
    if isinstance(operand, SizeOperand):
        yield from _type_check(kind, "size", operand.argument, TYPES - {"N", "BOOL", "NULL"})


def _type_check(
    kind: str, function: str, operand: Operand, types: frozenset[str]
) -> Iterable[Callable[[Values], None]]:
    if isinstance(operand, ValueOperand):
        name = operand.name

        def check(values: Values) -> None:
            if (actual := kind_of(values[name])) not in types:
                raise _wrong_operand(kind, function, actual)

        yield check


def _check_bounds(kind: str, low: Value, high: Value) -> None:
    if kind_of(low) != kind_of(high):
        raise invalid(f"Invalid {kind}: The BETWEEN operator requires same data type for lower and upper bounds")
    if not _ordered("<=", low, high):
        raise invalid(
            f"Invalid {kind}: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
            f"lower bound operand: AttributeValue: {low}, upper bound operand: AttributeValue: {high}"
        )


def _check_type_name(kind: str, argument: Operand, values: Values) -> None:
    value = values[argument.name] if isinstance(argument, ValueOperand) else None
    if value is None or "S" not in value:
        raise _wrong_operand(kind, "attribute_type", "?" if value is None else kind_of(value))
    if value["S"] not in TYPES:
        raise invalid(
            f"Invalid {kind}: Invalid attribute type name found; "
            f"type: {value['S']}, valid types: {{{','.join(sorted(TYPES))}}}"
        )


def _wrong_operand(kind: str, function: str, actual: str) -> Exception:
    return invalid(
        f"Invalid {kind}: Incorrect operand type for operator or function; "
        f"operator or function: {function}, operand type: {actual}"
    )


# -- what an update makes of an item ----------------------------------------------------------------


def check_update(update: CompiledUpdate, values: Values) -> None:
    """Raise DynamoDBError if a value has a type that its action does not take."""
    for action in update.actions:
        _check_term(action.term, values)
        if action.clause in ("ADD", "DELETE") and isinstance(action.term, ValueOperand):
            sets = frozenset({"SS", "NS", "BS"})
            actual = kind_of(values[action.term.name])
            if actual not in (sets | {"N"} if action.clause == "ADD" else sets):
                raise _wrong_operand("UpdateExpression", action.clause, actual)


def _check_term(term: Term | None, values: Values) -> None:
    match term:
        case Arithmetic(sign, left, right):
            for side in (left, right):
                if isinstance(side, ValueOperand) and "N" not in values[side.name]:
                    raise _wrong_operand("UpdateExpression", sign, kind_of(values[side.name]))
                _check_term(side, values)
        case ListAppend(first, second):
            for side in (first, second):
                if isinstance(side, ValueOperand) and "L" not in values[side.name]:
                    raise _wrong_operand("UpdateExpression", "list_append", kind_of(values[side.name]))
                _check_term(side, values)
        case IfNotExists(_, default):
            _check_term(default, values)


def apply_update(update: CompiledUpdate, item: Attributes, values: Values) -> Attributes:
    """Return what the update makes of the item, which stays as it is. Raises DynamoDBError.

    Every action sees the item as it was before the update. List elements are counted as they were, too.
    """
    results = [(action.path, _result(action, item, values)) for action in update.actions]
    new = dict(item)
    for path, value in results:
        if value is not None:
            _put(new, path, value)
    # From the end of a list, so that what is removed does not move what still is to be.
    for path, value in sorted(results, key=lambda result: _last_number(result[0]), reverse=True):
        if value is None:
            _remove(new, path)
    return new


def _last_number(path: Path) -> int:
    return path[-1] if isinstance(path[-1], int) else -1


def _result(action: Action, item: Attributes, values: Values) -> Value | None:
    """The value that the action leaves at its path; None if it leaves none."""
    if action.clause == "REMOVE":
        return None
    if action.clause == "SET":
        assert action.term is not None
        return _term_value(action.term, item, values)
    assert isinstance(action.term, ValueOperand)
    operand, current = values[action.term.name], value_at(item, action.path)
    if action.clause == "ADD":
        return _added(current, operand)
    if current is None:
        return None
    kind = kind_of(operand)
    if kind not in current:
        raise _wrong_data()
    left = [member for member in current[kind] if member not in operand[kind]]
    return {kind: left} if left else None


def _added(current: Value | None, operand: Value) -> Value:
    if current is None:
        return operand
    kind = kind_of(operand)
    if kind not in current:
        raise _wrong_data()
    if kind == "N":
        return {"N": decimal_text(add(as_number(current), as_number(operand)))}
    return make_set(kind, list({*current[kind], *operand[kind]}))


def _term_value(term: Term, item: Attributes, values: Values) -> Value:
    match term:
        case ValueOperand(name):
            return values[name]
        case PathOperand(path):
            value = value_at(item, path)
            if value is None:
                raise invalid("The provided expression refers to an attribute that does not exist in the item")
            return value
        case IfNotExists(operand, default):
            value = value_at(item, operand.path)
            return _term_value(default, item, values) if value is None else value
        case ListAppend(first, second):
            one, other = _term_value(first, item, values), _term_value(second, item, values)
            if "L" not in one or "L" not in other:
                raise _wrong_data()
            return {"L": [*one["L"], *other["L"]]}
        case Arithmetic(sign, left, right):
            one, other = _term_value(left, item, values), _term_value(right, item, values)
            if "N" not in one or "N" not in other:
                raise _wrong_data()
            change = as_number(other) if sign == "+" else -as_number(other)
            return {"N": decimal_text(add(as_number(one), change))}


def _put(item: Attributes, path: Path, value: Value) -> None:
    step = path[-1]
    content = _parent(item, path)
    if isinstance(step, str) or step < len(content):
        content[step] = value
    else:
        content.append(value)


def _remove(item: Attributes, path: Path) -> None:
    step = path[-1]
    content = _parent(item, path)
    if isinstance(step, str):
        content.pop(step, None)
    elif step < len(content):
        del content[step]


def _parent(item: Attributes, path: Path) -> _Content:
    """The map or list that holds the last step, with all on the way to it copied."""
    content: _Content = item
    for step, after in itertools.pairwise(path):
        value: Value | None = _child(content, step)
        kind = "M" if isinstance(after, str) else "L"
        if value is None or kind not in value:
            raise invalid("The document path provided in the update expression is invalid for update")
        inner = value[kind].copy()
        content[step] = {kind: inner}
        content = inner
    return content


def _child(content: _Content, step: str | int) -> Value | None:
    found: list[Value | None] = [content.get(step)] if isinstance(step, str) else content[step : step + 1]
    return found[0] if found else None


def _wrong_data() -> Exception:
    return invalid("An operand in the update expression has an incorrect data type")


# -- parts of an item -------------------------------------------------------------------------------


def project(item: Attributes, paths: Iterable[Path]) -> Attributes:
    """Return the parts of the item at the paths; elements of a list keep their order and close up."""
    tree: _Tree = {}
    for path in paths:
        if value_at(item, path) is None:
            continue
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    return {str(name): _pick(item[str(name)], inner) for name, inner in tree.items()}


def _pick(value: Value, tree: _Tree) -> Value:
    if not tree:
        return value
    if "M" in value:
        return {"M": {name: _pick(value["M"][name], inner) for name, inner in tree.items()}}
    order = sorted((step, inner) for step, inner in tree.items() if isinstance(step, int))
    return {"L": [_pick(value["L"][step], inner) for step, inner in order]}
