"""Forms of postal codes, and the prefixes that name an area.

Source: Universal Postal Union, "Postal addressing systems", and the pages of the national operators: the number of
characters of a code, which is a fact. In a form, `9` means a digit and `A` a letter; spaces and hyphens are left out.
The numbers are the lengths of prefixes, longest first: the first digits of a code name a sorting center, a province or
a department. Prefixes of one digit are left out if they name nothing.
"""

_FORMS = """
AD AA999 4 2
AR 9999 2 1
AT 9999 2 1
AU 9999 2 1
BE 9999 2 1
BG 9999 2 1
BR 99999999 5 3 1
CA A9A9A9 3 1
CH 9999 2 1
CL 9999999 3 2
CO 999999 4 2
CY 9999 2 1
CZ 99999 3 2 1
DE 99999 3 2 1
DK 9999 2 1
EE 99999 3 2 1
ES 99999 3 2
FI 99999 3 2 1
FR 99999 3 2
GR 99999 3 2 1
HR 99999 3 2 1
HU 9999 2 1
IN 999999 3 2 1
IT 99999 3 2 1
JP 9999999 3 2 1
LT 99999 2
LU 9999 2 1
LV 9999 2 1
MX 99999 3 2
NL 9999AA 4 2 1
NO 9999 2 1
NZ 9999 2 1
PE 99999 3 2
PL 99999 3 2 1
PT 9999999 4 2 1
RO 999999 3 2 1
RU 999999 3
SE 99999 3 2 1
SI 9999 2 1
SK 99999 3 2 1
TR 99999 3 2
UA 99999 3 2
US 99999 3 1
"""
FORMS = {row[0]: (row[1], tuple(map(int, row[2:]))) for row in map(str.split, _FORMS.strip().splitlines())}
"""The form of each country's codes and the lengths of their prefixes; Great Britain's codes are cut by a rule."""
