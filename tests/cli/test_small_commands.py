"""convert, report and doctor."""

import json

import numpy as np
import scipy.sparse as sp

from manyview.io import MultiViewData, read_views, write_views


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


def test_convert_takes_the_input_options_of_cluster(changed, run, refused, tmp_path):
    files = changed(
        image=lambda own: own | {"stage": ["I", "II"] * 30, "day": ["2020-01-01"] * 60},
        sound=lambda own: {key: values[5:] for key, values in own.items()},
        words=lambda own: own | {"words_0": ["", *own["words_0"][1:]]},
    )
    words = ("convert", *files, tmp_path / "a.npz", "--id", "sample")
    assert "sound.csv lacks 5 of the 60 ids" in refused(*words)
    columns = ("--categorical", "stage", "--drop", "day", "--join", "outer")
    assert "choose --impute mean (or median)" in refused(*words, *columns)
    result = run(*words, *columns, "--impute", "mean")
    assert (result.exit_code, "the categories of column 'stage' became 2 columns" in result.stderr) == (0, True)
    data = read_views(tmp_path / "a.npz")
    assert (data.n_samples, data.n_features) == (60, (6, 5, 6))
    assert np.isnan(data.views["sound"]).all(axis=1).sum() == 5
    assert run(*words[:-2], "--id", "sample", *columns[:4], "--join", "inner", "--force", "-q").exit_code == 0
    assert read_views(tmp_path / "a.npz").n_samples == 55


def test_convert_marks_what_a_sparse_view_lacks(run, tmp_path):
    for name, rows in (("a", slice(0, 5)), ("b", slice(2, 7))):
        table = sp.csr_matrix(np.eye(7)[rows])
        ids = np.array(list("stuvwxy"))[rows]
        write_views(MultiViewData({name: table}, ids=ids), tmp_path / f"{name}.h5ad")
    words = (tmp_path / "a.h5ad", tmp_path / "b.h5ad", tmp_path / "c.npz", "--join", "outer")
    assert run("convert", *words).exit_code == 0
    lacking = {name: np.isnan(view).all(axis=1) for name, view in read_views(tmp_path / "c.npz").views.items()}
    assert {name: rows.nonzero()[0].tolist() for name, rows in lacking.items()} == {"a": [5, 6], "b": [0, 1]}
