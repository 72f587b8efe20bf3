"""What fingers do on the map, and what comes out of a printer."""

import numpy as np
import pytest
from tests.report.browser.test_browser import STATE, find, listed, places, show_map, wait

PAPER = 700  # CSS pixels between the margins of a sheet of A4


@pytest.fixture
def phone(opened):
    """The page on a phone with a touch screen."""
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    opened.refresh()
    show_map(opened)
    opened.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    yield opened
    opened.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def touch(browser, kind, *fingers):
    """Put, move or lift fingers, in pixels from the center of the map."""
    box = browser.execute_script(
        "const b = document.querySelector('canvas.overlay').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2]"
    )
    points = [{"x": box[0] + x, "y": box[1] + y, "id": number} for number, (x, y) in enumerate(fingers)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_tap_shows_the_sample_and_finds_it_in_the_table(phone):
    points = places(phone)
    spread = np.linalg.norm(points[:, None] - points[None], axis=2) + 1e9 * np.eye(len(points))
    alone = int(spread.min(axis=1).argmax())
    touch(phone, "touchStart", points[alone])
    touch(phone, "touchEnd")
    wait(phone, lambda: find(phone, ".tip").is_displayed())
    assert find(phone, ".tip strong").text == f"sample {alone}"
    assert find(phone, 'tr[aria-current="true"] td').get_attribute("textContent") == f"sample {alone}"


def test_two_fingers_zoom_and_move(phone):
    scale = f"return {STATE}.map.camera.scale"
    before, center = phone.execute_script(scale), places(phone).mean(axis=0)
    touch(phone, "touchStart", (-40, 0), (40, 0))
    for step in range(1, 5):
        touch(phone, "touchMove", (-40 - 20 * step, 10 * step), (40 + 20 * step, 10 * step))
    touch(phone, "touchEnd")
    wait(phone, lambda: phone.execute_script(scale) > before * 2.9)
    assert phone.execute_script(scale) == pytest.approx(3 * before, rel=0.02)
    assert places(phone).mean(axis=0) == pytest.approx(3 * center + [0, 40], abs=4)
    assert listed(phone)  # nothing was selected by it


def test_finger_draws_a_lasso(phone):
    points = places(phone)
    find(phone, ".lasso").click()
    show_map(phone)
    x, y = points.T
    right, bottom = np.median(x) + 0.5, np.median(y) + 0.5
    left, top = x.min() - 5, y.min() - 5
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    touch(phone, "touchStart", corners[0])
    for corner in corners[1:]:
        touch(phone, "touchMove", corner)
    touch(phone, "touchEnd")
    wait(phone, lambda: phone.execute_script(f"return {STATE}.state.chosen !== null"))
    found = set(np.flatnonzero(phone.execute_script(f"return Array.from({STATE}.state.chosen)")))
    near = set(np.flatnonzero((abs(x - right) < 1.5) | (abs(y - bottom) < 1.5)))
    inside = set(np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom)))
    assert found - near == inside - near
    assert 5 < len(found) < 115
    assert find(phone, ".export").is_enabled()


def test_paper_is_light_wide_enough_and_unfolded(opened):
    size = {"width": PAPER, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened.execute_script("document.documentElement.dataset.theme = 'dark'")
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in ("nav", ".tools", ".table-scroll", ".card button"):
            assert not find(opened, selector).is_displayed(), selector
        for selector in ("canvas.points", ".legend", ".card", "svg.chart", "#features table", "#run pre"):
            assert find(opened, selector).is_displayed(), selector
        assert opened.execute_script("return getComputedStyle(document.documentElement).colorScheme") == "light"
        assert opened.execute_script("return document.documentElement.scrollWidth") <= PAPER
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    seen = "window.unfolded = null; addEventListener('beforeprint', () => { window.unfolded = document.querySelectorAll"
    opened.execute_script(seen + "('details:not([open])').length })")
    pdf = opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert len(pdf) > 20_000
    assert opened.execute_script("return window.unfolded") == 0
    assert opened.execute_script("return document.querySelectorAll('details[open]').length") == 0
