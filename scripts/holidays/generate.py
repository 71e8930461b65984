"""Writes holiday data from packages that were unpacked into a folder.

generate calls it: generate.py FOLDER OUTPUT HOLIDAYS_VERSION CHINESE_DAYS_VERSION
The JSON files that OUTPUT has are removed first.
"""

import json
import pathlib
import re
import sys

import holidays

COMMAND = "scripts/holidays/generate"
FIRST, LAST = 2024, 2035

# The member states of the European Union and what was asked for beside them.
COUNTRIES = (
    "AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK US"
).split()
# Those whose parts have calendars of their own.
PARTED = {"CH", "DE", "GB"}
# What the package's days are when its country's name does not say it.
SCOPE = dict.fromkeys(PARTED, "days common to all parts") | {"US": "federal holidays"}

MAX_NAME = 100


def grouped(days):
    """Turns {date: name} into {name: [dates]}, in the order of the first date."""
    names = {}
    for day, name in sorted(days.items()):
        name = name.replace("; ", ", ")
        if len(name) > MAX_NAME:
            name = name[: MAX_NAME - 1] + "…"
        names.setdefault(name, []).append(day)
    return names


def country_names():
    """Returns the package's English names of countries by code."""
    return {
        code: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", entity)
        for entity, code, *_ in holidays.registry.COUNTRIES.values()
    }


def world():
    names = country_names()
    for code in COUNTRIES:
        country = getattr(holidays, code)
        language = country.default_language
        # By code; codes longer than three letters are cities within a part.
        parts = {
            part: name
            for name, part in reversed(country.subdivisions_aliases.items())
            if len(part) <= 3
        }
        title = f"{names[code]}, {SCOPE[code]}" if code in SCOPE else names[code]
        for part in [None, *(sorted(parts) if code in PARTED else [])]:
            days = holidays.country_holidays(
                code, subdiv=part, years=range(FIRST, LAST + 1), language=language
            )
            calendar = {
                "key": code.lower() if part is None else f"{code}-{part}".lower(),
                "title": title if part is None else f"{names[code]}, {parts[part]}",
                "first_year": FIRST,
                "last_year": LAST,
                # What belongs to the first year may be kept in the one before.
                "days": grouped(
                    {d.isoformat(): n for d, n in days.items() if FIRST <= d.year <= LAST}
                ),
            }
            work = sorted(d.isoformat() for d in days.weekend_workdays)
            if work:
                calendar["workdays"] = {"": work}
            yield calendar


def china(folder):
    text = (folder / "package/dist/chinese-days.json").read_text(encoding="utf-8")
    known = json.loads(text)

    def named(days):
        # The value is "National Day,国庆节,3": English, Chinese, days by law.
        return grouped({day: value.split(",")[1] for day, value in days.items()})

    years = sorted({int(day[:4]) for day in known["holidays"]})
    yield {
        "key": "cn",
        "title": "China",
        "first_year": years[0],
        "last_year": years[-1],
        "days": named(known["holidays"]),
        "workdays": named(known["workdays"]),
    }


def write(output, package, version, calendars):
    """Writes a file for each calendar, one name a line, so that a newer version
    is easy to compare."""
    for calendar in calendars:
        head = {
            "package": package,
            "version": version,
            "licence": "MIT",
            "command": COMMAND,
            "title": calendar["title"],
            "first_year": calendar["first_year"],
            "last_year": calendar["last_year"],
        }
        text = json.dumps(head, ensure_ascii=False)[:-1]
        for part in "days", "workdays":
            if part in calendar:
                lines = ",\n".join(
                    f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(days, separators=(',', ':'))}"
                    for name, days in calendar[part].items()
                )
                text += f', "{part}": {{\n{lines}\n}}'
        (output / f"{calendar['key']}.json").write_text(text + "}\n", encoding="utf-8")


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    wanted, wanted_china = sys.argv[3:]
    found_china = json.loads((folder / "package/package.json").read_text())["version"]
    if (holidays.__version__, found_china) != (wanted, wanted_china):
        sys.exit(
            f"holidays {holidays.__version__} and chinese-days {found_china} are there, "
            f"want {wanted} and {wanted_china}: change the versions in {COMMAND}"
        )
    for old in output.glob("*.json"):
        old.unlink()
    write(output, "holidays (PyPI)", wanted, world())
    write(output, "chinese-days (npm)", wanted_china, china(folder))
    licences = [
        f"cn.json is made from the package chinese-days {wanted_china}:",
        (folder / "package/LICENSE").read_text().strip(),
        f"The other files here are made from the package holidays {wanted}:",
        next((folder / "holidays").glob("*.dist-info/licenses/LICENSE")).read_text().strip(),
    ]
    (output / "NOTICE").write_text("\n\n".join(licences) + "\n", encoding="utf-8")


main()
