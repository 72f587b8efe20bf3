"""The page is one file, whole without a network, and says exactly what the summary says."""

import re
from html.parser import HTMLParser

import pytest

from manyview import NoiseViewWarning, SemiNTF
from manyview.datasets import make_views
from manyview.report import render, summarize

SECTIONS = ["summary", "clusters", "views", "confidence", "attribution", "contingency", "convergence", "parameters"]
VOID = {"meta", "img", "br", "link", "hr", "input"}


class Page(HTMLParser):
    """Elements with their attributes and text, and whether tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag
        self.handle_data(" ")

    def handle_data(self, text):
        for element in self.open:
            element["text"] += text

    def all(self, tag=None, **attributes):
        found = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if (tag is None or element["tag"] == tag)
            and all(name in element and value in (True, element[name]) for name, value in found.items())
        ]

    def words(self, **attributes):
        (element,) = self.all(**attributes)
        return element["text"].split()


@pytest.fixture(scope="module")
def page(summary):
    return Page(render(summary))


def test_all_sections_are_there(page):
    assert [section["id"] for section in page.all("section")] == SECTIONS


def test_nothing_is_loaded_from_elsewhere(summary, page):
    text = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "", render(summary))
    assert [hint for hint in ("//", "url(", "@import", "<script", "<link") if hint in text] == []
    sources = [element["src"] for element in page.elements if "src" in element]
    assert len(sources) == 4  # three clusters and the figure
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert not [element for element in page.elements if "href" in element]
    (policy,) = page.all("meta", http_equiv="Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'")


def test_scores_are_those_of_the_summary(page, summary):
    shown = {tile["data-score"]: tile["text"].split()[0] for tile in page.all(data_score=True)}
    assert shown == {name: f"{value:.4f}" for name, value in summary["scores"].items()}


def test_clusters_are_those_of_the_summary(page, summary):
    for cluster in summary["clusters"]:
        label, size, share, _, confidence, unsure, main_class, main_share, _ = page.words(
            data_cluster=str(cluster["label"])
        )
        assert (int(label), int(size), int(unsure), int(main_class)) == (
            cluster["label"],
            cluster["size"],
            cluster["unsure"],
            cluster["main_class"],
        )
        assert float(share) == pytest.approx(100 * cluster["share"], abs=0.05)
        assert float(confidence) == pytest.approx(cluster["confidence"], abs=5e-4)
        assert float(main_share) == pytest.approx(100 * cluster["main_share"], abs=0.05)


def test_view_bars_have_the_length_of_the_weights(page, summary):
    bars = page.all("span", **{"class": "bar"})
    assert [bar["style"] for bar in bars] == [f"width: {100 * view['weight']:.2f}%" for view in summary["views"]]
    for view in summary["views"]:
        assert page.words(data_view=view["name"]) == [
            view["name"],
            str(view["width"]),
            f"{view['weight']:.3f}",
            f"{view['agreement']:.3f}",
        ]


def test_a_view_that_was_left_out_is_named(page):
    assert page.all("p", data_left_out=True) == []
    data = make_views(n_samples=120, n_clusters=3, noise_views=1, random_state=1)
    with pytest.warns(NoiseViewWarning, match="'noise_0'"):
        model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
    (named,) = Page(render(summarize(model))).all("p", data_left_out=True)
    assert named["data-left-out"] == "noise_0"


def test_histogram_is_that_of_the_summary(page, summary):
    bars = page.all("div", data_count=True)
    assert [int(bar["data-count"]) for bar in bars] == summary["confidence"]["counts"]
    assert [int(bar["data-right"]) for bar in bars] == summary["confidence"]["right"]
    assert max(bars, key=lambda bar: int(bar["data-count"]))["style"] == "height: 100.00%"


def test_contingency_is_that_of_the_summary(page, summary):
    table = summary["contingency"]
    for label, counts in zip(table["classes"], table["counts"], strict=True):
        assert page.words(data_class=str(label)) == [str(label), *map(str, counts)]


def test_parameters_are_all_listed(page, summary):
    for parameter in summary["parameters"]:
        (row,) = page.all("tr", data_parameter=parameter["name"])
        assert row["text"].split() == [parameter["name"], *parameter["value"].split()]
        assert (row.get("class") == "set") is parameter["changed"]


def test_confidence_is_explained(page):
    (section,) = page.all("section", id="confidence")
    assert "how much nearer its own cluster is than the next one" in " ".join(section["text"].split())


def test_confidence_of_the_paper_is_explained_as_what_it_is(unfinished):
    (section,) = Page(render(unfinished)).all("section", id="confidence")
    assert "largest membership minus its second largest" in " ".join(section["text"].split())


def test_every_cluster_says_what_it_rests_on(summary, model, data):
    explained = summarize(model, explanation=model.explain(data.views))
    page = Page(render(explained))
    for cluster, own in zip(explained["clusters"], explained["explanation"], strict=True):
        (row,) = page.all("tr", data_basis=str(cluster["label"]))
        words = row["text"].split()
        assert words[:3] == [str(cluster["label"]), f"{cluster['stability']:.2f}", str(cluster["contradicted"])]
        assert all(f"{view['effect']:+.3f}" in words for view in own["views"])
        assert f"{own['rows'][0]['row']}," in words
    assert summary["explanation"] is None
    assert "held together by" not in render(summary)


def test_a_chosen_number_of_clusters_is_explained(data):
    chosen = SemiNTF("auto", random_state=0).fit(data.views)
    summary = summarize(chosen)
    (paragraph,) = Page(render(summary)).all("p", id="chosen")
    assert chosen.selection_.reason in " ".join(paragraph["text"].split())
    assert len(summary["chosen"]["curve"]) == len(chosen.selection_.curve)


def test_parts_without_data_are_left_out(unfinished):
    page = Page(render(unfinished))
    assert [section["id"] for section in page.all("section")] == [name for name in SECTIONS if name != "contingency"]
    assert page.all(id="scores") == []
    assert [image["alt"] for image in page.all("img")] == ["residuals and objective per iteration, on log scales"]


def test_page_warns_of_missing_convergence(unfinished, page):
    (warning,) = Page(render(unfinished)).all("p", **{"class": "warn"})
    assert "limit of 5 steps before it had converged" in warning["text"]
    assert page.all("p", **{"class": "warn"}) == []


def test_names_cannot_break_the_page(model):
    named = summarize(model, name='<script>alert("&")</script>')
    page = Page(render(named))
    assert page.all("script") == []
    assert page.all("h1")[0]["text"].strip() == '<script>alert("&")</script>'
