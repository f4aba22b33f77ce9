"""The pages of the site: one for each operator, and links that lead somewhere."""

import importlib
import inspect
import json
import re
import sys
import wave
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock.tests.checkout import ROOT

SITE = ROOT / "docs" / "site"


@pytest.fixture
def builder(monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    for name in sys.modules.keys() & {path.stem for path in SITE.glob("*.py")}:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("build")


@pytest.mark.slow
def test_every_page_is_in_the_contents_and_every_link_leads_to_a_file(builder, tmp_path):
    builder.gather(tmp_path)
    contents = (tmp_path / "index.md").read_text(encoding="utf-8")
    pages = {path.stem for path in tmp_path.glob("*.md")} - {"index"}
    assert pages == set(re.findall(r"^(\w+)$", contents, re.M))
    for page in tmp_path.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                named = page.parent / target
                assert named.exists() or named.with_suffix(".md").exists(), (page.name, target)
        assert "![]" not in page.read_text(encoding="utf-8"), page.name  # it lacks an alt text
        for target in re.findall(r' src="([^"]+)"', page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_a_link_to_a_missing_file_is_refused(builder, tmp_path):
    text = "[a](../examples/nowhere.py)"
    with pytest.raises(builder.DeadLinkError, match=r"docs/a\.md: there is no \.\./examples"):
        builder.LINK.sub(lambda link: builder.moved("docs/a.md", tmp_path, link), text)


def test_the_page_of_an_operator_has_its_arguments_once(builder):
    pages = sys.modules["operator_pages"]
    operators = pages.public()
    text = pages.page("readers.numpy", operators["readers.numpy"], "")
    assert "`roi` (" in text
    assert text.count("random_shuffle") == 1  # it is described on the page of all readers
    assert "\n>>> with crops() as pipe:" in text
    assert all(f"`fn.{name}`" in pages.index(operators, linked=True) for name in operators)


def test_each_mend_of_the_html_is_made_once(builder):
    made = "".join(builder.MENDS)
    mended = builder.accessible(made)
    assert mended == "".join(builder.MENDS.values())
    assert builder.accessible(mended) == mended


def test_each_listed_call_is_drawn_and_its_sound_is_written(builder, tmp_path):
    drawings = sys.modules["operator_drawings"]
    written = drawings.write(tmp_path)
    assert {kind: dict(entries).keys() for kind, entries in written.items()} == {
        kind: calls.keys() for kind, calls in drawings.CALLS.items()
    }
    for kind, entries in written.items():
        for name, text in entries:
            picture = cv2.imread(str(tmp_path / f"{name}-drawn.png"))
            middle = picture.shape[1] // 2
            before, after = picture[:, : middle - 7], picture[:, middle + 7 :]
            assert before.std() > 10, name
            assert after.std() > 10, name
            assert (before != after).any(), name
            assert f"({{}}/{name}-drawn.png)" in text
            assert drawings.CALLS[kind][name][1] in text
    rates = {}
    for name in ("signal", *drawings.CALLS["Sounds"]):
        with wave.open(str(tmp_path / f"{name}.wav")) as sound:
            rates[name] = sound.getframerate(), round(sound.getnframes() / sound.getframerate(), 1)
    assert rates["signal"] == (16000, 2.2)
    assert rates["audio_resample"] == (4000, 2.2)
    assert rates["decoders.audio"] == (8000, 2.2)
    assert rates["nonsilent_region"][1] < 2


def test_drawn_boxes_lie_where_the_boxes_are(builder):
    drawings = sys.modules["operator_drawings"]
    image = np.zeros((100, 200, 3), np.uint8)
    picture = drawings.draw_boxes(image, image, np.float32([[0.1, 0.2, 0.5, 0.6]]), [2])
    assert tuple(picture[20, 20]) == tuple(picture[59, 99]) == drawings.COLORS[1]
    assert not picture[30:50, 30:90].any()
    assert not picture[65:].any()


NOT_RUN = {
    "experimental.inputs.video": "the program feeds a long video",
    "optical_flow": "only a GPU has the engine",
}


def test_every_operator_has_an_example(builder):
    pages, pictures = sys.modules["operator_pages"], sys.modules["operator_pictures"]
    gallery = pictures.load(ROOT / "examples" / "gallery.py")
    drawn = {
        gallery.operator_of(call) for calls in gallery.chosen_calls([]).values() for call in calls
    }
    missing = set()
    for name, operator in pages.public().items():
        if not operator.__module__.startswith("penstock."):  # of another test
            continue
        text = inspect.cleandoc(operator.__doc__)
        if name in NOT_RUN:
            assert "\n```python\n" in "\n".join(pages.blocks(text)), name
        elif "\n>>> " not in text and name not in drawn:
            missing.add(name)
    assert not missing


def test_every_name_of_the_modules_has_a_heading(builder):
    names = importlib.import_module("name_pages")
    texts = names.pages()
    headings = {
        f"{module}.{name}"
        for module, text in texts.items()
        for name in re.findall(r"^## (\S+)$", text, re.M)
    }
    for module in names.MODULES:
        public = getattr(importlib.import_module(module), "__all__", ())
        assert {f"{module}.{name}" for name in public} <= headings
    for module in names.FRAMEWORKS:
        public = names.listed(names.tree_of(module))
        assert public
        assert {f"{module}.{name}" for name in public} <= headings
    index = names.index(texts)
    assert all(f"[{module}]({module}.md)" in index for module in texts)
    base, v2 = "penstock.experimental.torchvision", "penstock.experimental.torchvision.v2"
    known = set(importlib.import_module(base).__all__)
    assert set(importlib.import_module(v2).__all__) - known == {"functional"}
    assert "penstock.extend.register" in headings


def test_the_names_of_frameworks_are_read_without_an_import(builder):
    names = importlib.import_module("name_pages")
    text = "\n".join(names.facts_read(names.defined("penstock.plugin.jax", "GenericIterator")))
    assert "\n    pipelines: Sequence[Pipeline] | Pipeline,\n" in text
    assert "Yields a dictionary with each output as one array" in text
    assert "(../iterator_arguments.md)" in text
    alias = names.defined("penstock.plugin.jax", "DALIGenericIterator")
    assert names.facts_read(alias) == ["`GenericIterator`"]
    policy = names.defined("penstock.plugin.jax", "LastBatchPolicy")
    assert "`FILL`" in "".join(names.facts_read(policy))


def test_the_first_program_prints_what_the_page_says(tmp_path, monkeypatch, capsys):
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"```(?:python|text)\n(.+?)```", page, re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    importlib.import_module("make_data").photos(Path("data/photos"))
    capsys.readouterr()
    exec(compile(program, "index.md", "exec"), {})
    assert capsys.readouterr().out == printed


PAGE = """<html lang="en"><head><title>{name}</title></head><body>
<article role="main" id="furo-main-content"><h1>{title}<a class="headerlink" href="#x">#</a></h1>
<p>{text}</p></article></body></html>"""


@pytest.fixture
def small_site(builder, tmp_path):
    """A site of some pages: two guides, an operator, and the changelog."""
    search = sys.modules["search"]
    pages = {
        "training": ("Train a classifier", "A network learns from a folder."),
        "segmentation": ("Train a segmentation", "A network learns from an image and its mask."),
        "operators/segmentation.select_masks": ("fn.select_masks", "A mask, a mask, and an image."),
        "changelog": ("Changelog", "AMP, AMP, AMP: an image and a mask."),
    }
    for name, (title, text) in pages.items():
        file = tmp_path / f"{name}.html"
        file.parent.mkdir(exist_ok=True)
        file.write_text(search.searchable(name, PAGE.format(name=name, title=title, text=text)))
    search.write(tmp_path)
    return tmp_path


def test_guides_are_found_before_references_and_by_their_keywords(small_site, monkeypatch):
    search = sys.modules["search"]
    answers = search.found(small_site, ["image and mask", "AMP"])
    if answers is None:
        pytest.skip("the search runs in a browser or in Node.js")
    assert answers["image and mask"][:2] == [
        "segmentation.html",
        "operators/segmentation.select_masks.html",
    ]
    assert answers["AMP"] == ["training.html"]  # not the changelog
    monkeypatch.setattr(search, "QUERIES", {"AMP": "training", "network": "changelog"})
    (line,) = search.wrong(small_site)
    assert line.startswith("the search for 'network' finds ")
    assert "; changelog.html is to be first" in line


def test_each_query_and_keyword_belongs_to_a_page(builder, tmp_path):
    search, pages = sys.modules["search"], sys.modules["operator_pages"]
    known = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert search.KEYWORDS.keys() <= known - set(search.UNSEARCHED)
    operators = {f"operators/{name}" for name in pages.public()}
    assert set(search.QUERIES.values()) <= search.KEYWORDS.keys() | operators
    assert len(search.QUERIES) >= 8


def test_pages_are_edited_where_they_are_written(builder, monkeypatch):
    conf = importlib.import_module("conf")
    monkeypatch.setattr(conf, "ADDRESS", "https://example.org/penstock")
    assert conf.edit_link("audio") == "https://example.org/penstock/edit/main/docs/audio.md"
    for page, path in conf.PLACES.items():
        assert (ROOT / f"{path}.md").exists()
        assert conf.edit_link(page).endswith(f"/main/{path}.md")
    assert conf.edit_link("operators/resize") == conf.edit_link("notebooks/train") == ""


def test_files_of_the_checkout_are_links(builder):
    text = "By `examples/demo.py --x`, `examples/none.py`, [`docs/link.py`](../docs/link.py).\n"
    block = "```sh\npython `examples/demo.py`\n```\n"
    assert builder.with_sources("docs/audio.md", text + block) == (
        text.replace("`examples/demo.py --x`", "[`examples/demo.py --x`](../examples/demo.py)")
        + block
    )


def test_the_start_page_has_a_picture_of_samples(builder, tmp_path):
    start = sys.modules["start_picture"]
    text = start.placed("# Penstock\n\n## Start\n\nRest", tmp_path)
    assert text.index(start.FILE) < text.index("## Start")
    picture = cv2.imread(str(tmp_path / start.FILE))
    first, second = picture[: start.SIDE], picture[-start.SIDE :]
    tiles = [
        row[:, row.shape[1] - (i + 1) * start.SIDE - i * start.GAP :][:, : start.SIDE]
        for row in (first, second)
        for i in range(start.SAMPLES)
    ]
    assert all(tile.std() > 20 for tile in tiles)
    assert len({tile.tobytes() for tile in tiles}) == 2 * start.SAMPLES


def test_notebooks_are_shown_as_they_are(builder, tmp_path):
    notebooks = ROOT / "examples" / "notebooks"
    sys.modules["notebook_pages"].write(notebooks, tmp_path)
    for path in notebooks.glob("*.ipynb"):
        page = (tmp_path / f"{path.stem}.md").read_text(encoding="utf-8")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert "".join(cell["source"]).partition("\n")[2].strip() in page
        assert f"({path.name})" in page
        assert f"({path.stem}.md)" in (tmp_path / "index.md").read_text(encoding="utf-8")
