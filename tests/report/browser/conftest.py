"""One headless Chromium for all tests of the page, and the page opened from disk."""

import shutil
import tempfile

import pytest

from manyview.report import render

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs a browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    profile = tempfile.mkdtemp()
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    downloads = tmp_path_factory.mktemp("downloads")
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    session.set_script_timeout(20)
    session.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    session.downloads = downloads
    yield session
    session.quit()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture(scope="session")
def page_file(summary, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(summary), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page_file):
    """The page, fresh, on a screen of 1280 x 900; its logs begin with it."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    size = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page_file.as_uri())
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    return browser
