"""The page with a hundred clusters and long names: nothing overlaps, nothing widens the page."""

import numpy as np
import pytest
from tests.report.browser.test_browser import STATE, find, listed

from manyview import AnchorGraphClustering
from manyview.report import render, summarize

K = 100
VIEW_NAMES = [f"measurements of the {part} lobe" for part in ("frontal", "parietal")]


@pytest.fixture(scope="module")
def many_file(tmp_path_factory):
    rng = np.random.default_rng(0)
    group = np.arange(4 * K) % K
    views = {name: rng.normal(size=(4 * K, 6)) + 30 * rng.normal(size=(K, 6))[group] for name in VIEW_NAMES}
    model = AnchorGraphClustering(K, random_state=0).fit(views)
    path = tmp_path_factory.mktemp("many") / "report.html"
    path.write_text(render(summarize(model, views, y_true=group)), encoding="utf-8")
    return path


@pytest.fixture
def many(opened, many_file):
    opened.get(many_file.as_uri())
    return opened


@pytest.mark.parametrize("width", [390, 1280])
def test_a_hundred_clusters_need_no_horizontal_scroll(many, width):
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    many.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    many.refresh()
    assert many.execute_script("return document.documentElement.scrollWidth") <= width


def test_legend_unfolds_and_its_last_cluster_can_be_chosen(many):
    n_shown = len(many.find_elements("css selector", ".legend button[data-code]"))
    find(many, ".legend .more").click()
    assert len(many.find_elements("css selector", ".legend button[data-code]")) == K > n_shown
    assert many.execute_script("return document.activeElement.dataset.code") == str(n_shown)
    find(many, f'.legend button[data-code="{K - 1}"]').click()
    size = many.execute_script(f"return {STATE}.samples.columns[0].values.filter((code) => code === {K - 1}).length")
    assert len(listed(many)) == size


def test_labels_on_top_of_a_crowded_table_do_not_touch(many):
    script = """return ['#features', '#scores'].flatMap((part) => {
      const shown = [...document.querySelectorAll(`${part} thead th`)].filter((one) => !one.querySelector('.unseen'));
      const boxes = shown.map((one) => { const range = document.createRange(); range.selectNodeContents(one);
        return range.getBoundingClientRect(); });
      return boxes.slice(1).filter((box, i) => box.left < boxes[i].right && box.width > 0);
    }).length"""
    assert many.execute_script(script) == 0


def test_names_of_views_stay_inside_their_cards(many):
    script = """return [...document.querySelectorAll('.card')].filter((card) => {
      const right = card.getBoundingClientRect().right;
      return [...card.querySelectorAll('li *')].some((one) => one.getBoundingClientRect().right > right);
    }).length"""
    size = {"width": 340, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    many.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert many.execute_script(script) == 0


def test_cells_without_numbers_say_theirs_when_pointed_at(many):
    cell = find(many, "#scores td[title]")
    assert " in cluster " in cell.get_attribute("title")
    assert find(many, "#features td.p5").get_attribute("title").startswith("cluster ")
