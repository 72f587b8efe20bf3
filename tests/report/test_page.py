"""The page is one file, whole without a network, under a strict policy, and says what the summary says."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from manyview import LMVSC, AnchorGraphClustering, NoStructureWarning, Recipe
from manyview.report import render, summarize
from manyview.report.charts import line_chart, ticks
from manyview.report.page import HERE, _odds, _p_value, safe_json
from manyview.report.palette import SEQUENTIAL, cluster_colors, oklch
from manyview.report.png import gray_png

VOID = {"meta", "img", "br", "link", "hr", "input"}


class Page(HTMLParser):
    """Elements with their attributes and text, and whether tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
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

    def all(self, tag, **attributes):
        found = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if element["tag"] == tag and all(element.get(name) == value for name, value in found.items())
        ]


@pytest.fixture(scope="module")
def text(summary):
    return render(summary)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_all_sections_are_there_in_order(page):
    found = [section["id"] for section in page.all("section")]
    assert found == ["map", "clusters", "features", "metadata", "views", "scores", "run"]


def test_sections_without_data_are_left_out(data):
    page = Page(render(summarize(LMVSC(3, random_state=0).fit(data.views))))
    assert [section["id"] for section in page.all("section")] == ["map", "clusters", "views", "run"]
    assert page.all("canvas") == []


def test_policy_allows_this_script_and_this_style_only(text):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1].replace("&#39;", "'")
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[-1]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    for kind, content in (("script", script), ("style", style)):
        hashed = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{hashed}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "eval(" not in script


def test_nothing_is_loaded_from_elsewhere(page):
    sources = [element[name] for element in page.elements for name in ("src", "href") if name in element]
    assert sources
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert not [element for element in page.elements if "style" in element]


def test_hostile_names_stay_text(page):
    assert len(page.all("script")) == 2
    assert len(page.all("img")) == 3  # mean images; none of a name
    assert "three groups </script>" in page.all("p", **{"class": "kicker"})[0]["text"]
    (source,) = page.all("script", id="samples")
    assert json.loads(source["text"])["map"]["ids"][0].startswith("</script>")


def test_scores_and_counts_are_those_of_the_summary(page, summary):
    shown = {tile["data-score"]: tile["text"].split()[0] for tile in page.all("div") if "data-score" in tile}
    assert shown == {name: f"{value:.3f}" for name, value in summary["scores"].items()}
    table = summary["contingency"]
    for label, counts in zip(table["classes"], table["counts"], strict=True):
        (row,) = page.all("tr", data_class=str(label))
        assert [0 if word == "·" else int(word) for word in row["text"].split()[1:]] == counts


def test_parameters_are_all_listed(page, summary):
    for parameter in summary["run"]["parameters"]:
        (row,) = page.all("tr", data_parameter=parameter["name"])
        assert row["text"].split() == [parameter["name"], *parameter["value"].split()]
        assert (row.get("class") == "set") is parameter["changed"]


def test_a_chosen_number_of_clusters_has_a_curve(data):
    model = AnchorGraphClustering("auto", recipe=Recipe(min_structure=0.0), random_state=0).fit(data.views)
    page = Page(render(summarize(model)))
    (section,) = page.all("section", id="selection")
    assert model.selection_.reason in " ".join(section["text"].split())
    assert len(page.all("polyline")) == 2


def test_many_clusters_fold():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(120, 4)) + 20 * rng.normal(size=(30, 4))[np.arange(120) % 30] for _ in range(2)]
    page = Page(render(summarize(AnchorGraphClustering(30, random_state=0).fit(views), views)))
    assert len(page.all("article")) == len(page.all("button", type="button")) - len(page.all("button", id="theme")) - 6
    assert "Show the other" in page.all("details")[0]["text"]


def test_heat_map_of_few_clusters_stands_side_by_side(page, summary):
    tables = page.all("table", **{"class": "grid features"})
    assert len(tables) == 3
    rows = [row for table in tables for row in table["text"].split() if row in {"view_0", "view_1", "view_2"}]
    assert rows == summary["heatmap"]["views"]


def test_metadata_of_one_cluster_are_not_compared():
    noise = np.random.default_rng(0).normal(size=(120, 5))
    with pytest.warns(NoStructureWarning):
        model = AnchorGraphClustering("auto", random_state=0).fit([noise[:, :2], noise[:, 2:]])
    page = Page(render(summarize(model, metadata={"batch": ["A", "B"] * 60})))
    (section,) = page.all("section", id="metadata")
    assert "nothing to compare" in section["text"]
    assert "Not tested" not in section["text"]


def test_extreme_numbers_are_told_as_such():
    assert [_odds(value) for value in (3.456, 1e8, 1e-9)] == ["odds 3.46", "odds > 1,000", "odds < 1/1,000"]
    assert [_p_value(value) for value in (0.0123, 1e-200)] == ["0.012", "< 1e-16"]


def test_json_without_numbers_it_lacks():
    assert safe_json({"a": [float("nan"), float("inf"), 1.5], "b": "</script>&"}) == (
        '{"a":[null,null,1.5],"b":"\\u003c/script\\u003e\\u0026"}'
    )


@pytest.mark.parametrize("low, high", [(0, 1), (0.1, 0.13), (-5, 1234), (1, 2)])
def test_ticks_are_few_and_inside(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 8
    assert low <= found[0] <= found[-1] <= high


def test_chart_leaves_out_what_a_log_scale_lacks():
    chart = line_chart([1, 2, 3], [("a", [1.0, 0.0, 0.01], None)], log=True, limit=0.1)
    assert len(chart.lines[0].points) == 2
    assert chart.lines[0].points[0][1] < chart.limit < chart.lines[0].points[1][1]


def test_log_scale_of_one_power_still_has_numbers():
    chart = line_chart([1, 2, 3], [("a", [4e-3, 2e-3, 4e-4], None)], log=True)
    assert [tick.text for tick in chart.y_ticks] == ["5e-04", "1e-03", "2e-03"]


def test_marked_number_is_on_the_axis():
    chart = line_chart([2, 3, 10, 30], [("a", [0.1, 0.2, 0.1, 0.1], None)], marked=1)
    assert [tick.text for tick in chart.x_ticks] == ["1", "10", "20", "30"]
    assert chart.x_ticks[0].at == chart.marked


def test_constant_line_can_be_drawn():
    chart = line_chart([1], [("a", [2.0], [0.0])])
    assert np.isfinite(chart.lines[0].points).all()


def test_colors_differ():
    colors = cluster_colors(100)
    assert len(set(colors)) == 100
    assert oklch(1, 0, 0) == "#ffffff"
    assert oklch(0, 0, 0) == "#000000"


def test_page_and_plots_share_the_scale():
    script = (HERE / "assets" / "colors.js").read_text(encoding="utf-8")
    assert ", ".join(f'"{color}"' for color in SEQUENTIAL) in script


def test_image_has_its_pixels():
    pytest.importorskip("matplotlib")
    import io

    from matplotlib.image import imread

    pixels = imread(io.BytesIO(gray_png([[0, 2], [1, 4], [8, 4]], largest=4)))
    assert pixels.shape == (3, 2)
    assert pixels.ravel().tolist() == pytest.approx([1, 0.5, 0.75, 0, 0, 0], abs=0.01)
