"""The page about a data set."""

from __future__ import annotations

from html.parser import HTMLParser

from penstock import datasets
from penstock.cli.inspection.page import as_html


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.opened, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)

    def handle_data(self, data):
        self.text.append(data.strip())


def test_the_page_has_everything_and_loads_nothing(class_folders):
    text = as_html(datasets.inspect(class_folders), b"PNG")
    tags = Tags()
    tags.feed(text)
    assert tags.opened.count("table") == 3
    assert not {"script", "link", "iframe"} & set(tags.opened)
    assert "http" not in text
    for word in ("folder, 6 samples", "encoded jpg", "0 cats", "50%", "of cats/0"):
        assert word in tags.text
    assert "data:image/png;base64,UE5H" in text
