"""convert, report and doctor."""

import json

from manyview.io import read_views


def test_convert_there_and_back(tables, run, refused, tmp_path):
    archive, folder = tmp_path / "data.npz", tmp_path / "folder"
    assert "Wrote" in run("convert", tables, archive, "--id", "sample").stdout
    assert "replace it with --force" in refused("convert", tables, archive, "--id", "sample")
    assert run("convert", tables, archive, "--id", "sample", "--force", "-q").output == ""
    assert run("convert", archive, folder, "--tables", "csv").exit_code == 0
    assert read_views(folder).ids.tolist() == read_views(archive).ids.tolist()
    assert read_views(folder).n_features == (4, 5, 6)
    assert "is IN and OUT at once" in refused("convert", archive, archive, "--force")
    assert "cannot write .txt" in refused("convert", archive, tmp_path / "data.txt")


def test_report_is_written_again(clustered, run, refused, tmp_path):
    out = clustered[0]
    assert run("report", out, "--out", tmp_path / "page.html").exit_code == 0
    assert (tmp_path / "page.html").read_text() == (out / "report.html").read_text()
    assert "exists already" in refused("report", out, "--out", tmp_path / "page.html")
    assert "there is no such folder" in refused("report", tmp_path / "none")
    assert "unless told --no-report" in refused("report", tmp_path)
    (tmp_path / "report.json").write_text("[]")
    assert "does not hold the facts of a report" in refused("report", tmp_path)


def test_doctor_names_versions_and_what_is_missing(run):
    facts = json.loads(run("doctor", "--json").stdout)
    assert {"manyview", "numpy", "cores", "memory free", "compiled loops", "not installed"} <= set(facts)
    assert facts["numpy"] in run("doctor").stdout
