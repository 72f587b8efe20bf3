"""What a person does with the page, in a real browser."""

import json
from importlib.resources import files

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

STATE = "window.manyviewReport"
HOSTILE = "</script><script>window.hacked=1</script>"
NO_WEBGL = """HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...rest) {
  return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
})(HTMLCanvasElement.prototype.getContext)"""
WHEEL = """const [canvas, x, y] = arguments; const box = canvas.getBoundingClientRect();
const place = {clientX: x + box.left + box.width / 2, clientY: y + box.top + box.height / 2};
canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, cancelable: true, ...place}))"""


def wait(browser, condition):
    return WebDriverWait(browser, 10).until(lambda _: condition())


def find(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def listed(browser):
    return browser.execute_script(f"return Array.from({STATE}.table.rows, (i) => {STATE}.samples.id(i))")


def places(browser):
    """Pixels of all samples from the center of the map."""
    script = f"""const map = {STATE}.map; const box = map.overlay.getBoundingClientRect();
    return Array.from({{length: map.samples.n}}, (_, i) => map.screenOf(i))
        .map(([x, y]) => [x - box.width / 2, y - box.height / 2])"""
    return np.array(browser.execute_script(script))


def show_map(browser):
    browser.execute_script("document.getElementById('map').scrollIntoView({block: 'start'})")
    return find(browser, "canvas.overlay")


def test_page_opens_without_errors_or_requests(opened, page_file):
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []
    events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    requested = [
        event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"
    ]
    assert page_file.as_uri() in requested
    assert [url for url in requested if not url.startswith(("file:", "data:"))] == []


def test_policy_stops_scripts_that_are_not_the_page_s(opened):
    # eval is tried after the call, when the devtools' own leave to evaluate has ended
    script = """const done = arguments[0]; const element = document.createElement('script');
    element.textContent = 'window.injected = 1'; document.body.append(element);
    const image = new Image(); image.onerror = () => {
      let evaluated; try { evaluated = (0, eval)('1') } catch (error) { evaluated = error.name }
      done([window.injected ?? null, evaluated]); };
    image.src = 'https://example.org/x.png';"""
    assert opened.execute_async_script(script) == [None, "EvalError"]
    assert any("Content Security Policy" in entry["message"] for entry in opened.get_log("browser"))


def test_hostile_names_are_inert(opened):
    show_map(opened)
    opened.execute_script(f"{STATE}.map.mark(0)")
    assert find(opened, ".tip strong").text.startswith("</script>")
    assert opened.execute_script("return window.hacked ?? null") is None
    assert opened.execute_script("return document.images.length") == 3


def test_hover_shows_the_id(opened):
    canvas = show_map(opened)
    points = places(opened)
    spread = np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points))
    alone = int(spread.min(axis=1).argmax())
    ActionChains(opened).move_to_element_with_offset(canvas, *points[alone].round().astype(int).tolist()).perform()
    wait(opened, lambda: find(opened, ".tip").is_displayed())
    assert find(opened, ".tip strong").text == f"sample {alone}"
    assert "Confidence" in find(opened, ".tip dl").text


def test_choosing_a_cluster_filters_the_table(opened, model):
    show_map(opened)
    find(opened, '.legend button[data-code="1"]').click()
    expected = [f"sample {i}" if i else HOSTILE for i in range(120) if model.labels_[i] == 1]
    assert listed(opened) == expected
    assert f"{len(expected)} selected" in find(opened, ".count").text
    find(opened, ".clear").click()
    assert len(listed(opened)) == 120


def test_card_button_shows_its_cluster(opened, model):
    opened.execute_script("document.querySelector('[data-show-cluster=\"2\"]').click()")
    assert len(listed(opened)) == (model.labels_ == 2).sum()


def test_lasso_exports_exactly_the_ids_inside(opened):
    canvas = show_map(opened)
    points = places(opened)
    find(opened, ".lasso").click()
    left, right = int(points[:, 0].min()) - 5, int(np.median(points[:, 0]))
    top, bottom = int(points[:, 1].min()) - 5, int(np.median(points[:, 1]))
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    actions = ActionChains(opened, duration=20).move_to_element_with_offset(canvas, *corners[0]).click_and_hold()
    for corner in corners[1:]:
        actions.move_to_element_with_offset(canvas, *corner)
    actions.release().perform()
    x, y = points.T
    inside = np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom))
    near = np.flatnonzero((abs(x - right) < 1) | (abs(y - bottom) < 1))  # the pointer moves by whole pixels
    found = opened.execute_script(f"return Array.from({STATE}.state.chosen)")
    assert set(np.flatnonzero(found)) - set(near) == set(inside) - set(near)
    assert 5 < sum(found) < 115
    find(opened, ".export").click()
    (file,) = wait(opened, lambda: list(opened.downloads.glob("*.csv")))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,cluster"
    names = [line.rpartition(",")[0].strip('"') for line in lines[1:]]
    assert names == [opened.execute_script(f"return {STATE}.samples.id({i})") for i in np.flatnonzero(found)]


def test_table_searches_and_sorts(opened, model):
    show_map(opened)
    find(opened, ".search").send_keys("sample 11")
    assert listed(opened) == ["sample 11", *(f"sample {i}" for i in range(110, 120))]
    find(opened, ".search").clear()
    find(opened, ".search").send_keys(" ")
    assert opened.find_elements(By.CSS_SELECTOR, ".table-scroll th:not([aria-sort=none])") == []
    header = find(opened, ".table-scroll th:nth-child(3) button")
    opened.execute_script("arguments[0].click(); arguments[0].click()", header)
    top = np.argsort(-model.confidence_.astype(np.float32), kind="stable")[:5]
    rows = opened.execute_script(f"return Array.from({STATE}.table.rows.slice(0, 5))")
    assert rows == top.tolist()
    assert header.find_element(By.XPATH, "..").get_attribute("aria-sort") == "descending"


def test_table_holds_only_the_rows_in_sight(opened):
    show_map(opened)
    assert 10 < len(opened.find_elements(By.CSS_SELECTOR, ".table-scroll tr[data-at]")) < 40
    opened.execute_script("document.querySelector('.table-scroll').scrollTop = 1e6")
    wait(opened, lambda: "sample 119" in find(opened, ".table-scroll tbody").text)


def test_text_that_is_cut_is_whole_when_pointed_at(opened):
    show_map(opened)
    assert find(opened, ".table-scroll tbody td[title]").get_attribute("title") == HOSTILE
    titles = [one.get_attribute("title") for one in opened.find_elements(By.CSS_SELECTOR, ".table-scroll th button")]
    assert titles[:3] == ["ID", "Cluster", "Confidence"]


def test_map_colors_by_every_column(opened):
    keys = [option.get_attribute("value") for option in opened.find_elements(By.CSS_SELECTOR, ".color-by option")]
    assert keys[:6] == ["cluster", "confidence", "vote-0", "vote-1", "vote-2", "disagree"]
    choose = (
        "const s = document.querySelector('.color-by'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
    )
    for key in keys:
        opened.execute_script(choose, key)
        assert find(opened, ".legend").text.strip(), key
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_keys_reach_everything(opened):
    """Tab from the top comes by the theme, the tools, the map, the legend and the table; keys work there."""
    seen = []
    for _ in range(60):
        ActionChains(opened).send_keys(Keys.TAB).perform()
        seen.append(opened.execute_script("return document.activeElement.className || document.activeElement.id"))
        if seen[-1] == "table-scroll":
            break
    assert [name for name in ("theme", "color-by", "lasso", "overlay", "table-scroll") if name not in seen] == []
    ActionChains(opened).send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER).perform()
    assert opened.execute_script(f"return {STATE}.table.active") in (-1, 1)
    assert listed(opened) == ["sample 1"]
    ActionChains(opened).send_keys(Keys.ESCAPE).perform()
    assert len(listed(opened)) == 120
    scale = f"return {STATE}.map.camera.scale"
    before = opened.execute_script(scale)
    opened.execute_script("document.querySelector('canvas.overlay').focus()")
    ActionChains(opened).send_keys("+").perform()
    assert opened.execute_script(scale) > before
    ActionChains(opened).send_keys("0").perform()
    assert opened.execute_script(scale) == pytest.approx(before)


def test_wheel_zooms_at_the_pointer(opened):
    canvas = show_map(opened)
    before = places(opened)
    target = before[5].round().astype(int).tolist()
    ActionChains(opened).move_to_element_with_offset(canvas, *target).perform()
    opened.execute_script(WHEEL, canvas, *target)
    after = places(opened)
    assert np.linalg.norm(after[5] - before[5]) < 2
    assert np.ptp(after[:, 0]) > 1.3 * np.ptp(before[:, 0])


def test_samples_are_drawn(opened):
    """WebGL or not, some pixels of the map have the colors of clusters."""
    show_map(opened)
    script = """const done = arguments[0]; const copy = document.createElement('canvas');
    const map = window.manyviewReport.map; map.draw();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const points = document.querySelector('canvas.points');
      copy.width = points.width; copy.height = points.height;
      const context = copy.getContext('2d'); context.drawImage(points, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let drawn = 0; for (let i = 3; i < data.length; i += 4) drawn += data[i] > 100;
      done([drawn, map.renderer.constructor.name]); }))"""
    drawn, renderer = opened.execute_async_script(script)
    assert drawn > 120 * 20
    assert renderer in ("WebGLRenderer", "CanvasRenderer")


def test_canvas_takes_over_where_webgl_is_absent(opened, page_file):
    added = opened.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WEBGL})
    try:
        opened.get(page_file.as_uri())
        assert opened.execute_script(f"return {STATE}.map.renderer.constructor.name") == "CanvasRenderer"
        test_samples_are_drawn(opened)
    finally:
        opened.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def brightness(browser):
    color = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in color.removeprefix("rgb(").rstrip(")").split(", "))


def test_dark_mode_follows_the_system_and_the_button(opened):
    assert brightness(opened) > 700
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert brightness(opened) < 120
    find(opened, "#theme").click()
    assert brightness(opened) > 700


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_needs_no_horizontal_scroll(opened, width):
    size = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened.refresh()
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width


def test_print_shows_no_tools(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not find(opened, ".table-scroll").is_displayed()
        assert find(opened, ".card").is_displayed()
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, scheme, width):
    """Contrast, names, landmarks, focus: the rules of axe-core, whose program comes in a Python package."""
    pytest.importorskip("axe_core_python", reason="needs axe-core: pip install axe-core-python")
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened.execute_script(axe + "; window.axe = axe")
    run = "axe.run().then((found) => arguments[0](found.violations.map((v) => [v.impact, v.id, v.nodes[0].html])))"
    assert opened.execute_async_script(run) == []
