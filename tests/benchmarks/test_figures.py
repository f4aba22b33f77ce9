"""benchmarks/README.md: its figures are those of the records, and each record is cited."""

from __future__ import annotations

import json
import re
from pathlib import Path

import penstock

ROOT = Path(penstock.__file__).parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def rows():
    """The rows of the table of today's figures."""
    table = PAGE.partition("| figure | unit |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


def shown(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def test_each_figure_is_that_of_its_record():
    count = 0
    for name, unit, ours, theirs, ratio, _, record in rows():
        content = json.loads((RESULTS / f"{record.strip('`')}.json").read_text(encoding="utf-8"))
        assert "fault" not in content, record
        assert [ours, theirs, ratio] in [
            [shown(each["ours"]), shown(each["theirs"]), f"{each['ratio']:.2f}"]
            for each in content["figures"]
            if (each.get("name"), each.get("unit")) == (name, unit)
        ], (name, record)
        count += 1
    assert count > 50


def test_each_record_is_cited():
    pages = [PAGE, *(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))]
    cited = set(re.findall(r"`(\w+_20\d\d-\d\d-\d\d)(?:\.json)?`", "\n".join(pages)))
    assert cited == {record.stem for record in RESULTS.glob("*.json")}
