"""manyview cluster: files in any format in, a whole folder out, and one line for whatever is wrong."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy.io import savemat

import manyview
from manyview.io import read_views, write_views
from manyview.result import FILES, METHODS

from .conftest import clusters, read_csv, write_csv

FAST = ("-k", 3, "--no-report", "--quiet")


def test_program_writes_a_whole_folder(clustered, tables):
    out, done = clustered
    assert {path.name for path in out.iterdir()} == set(FILES)
    assert {path.name for path in out.parent.iterdir()} == {"result"}
    assert len(clusters(out / "labels.csv")) == 3
    facts = json.loads((out / "run.json").read_text())
    assert facts["method"] == "AnchorGraphClustering"
    assert facts["views"] == {"image": 4, "sound": 5, "words": 6}
    digest = hashlib.sha256((tables / "image.csv").read_bytes()).hexdigest()
    assert facts["files"][0] == {
        "name": "image.csv",
        "bytes": (tables / "image.csv").stat().st_size,
        "sha256": digest,
    }
    assert "3 clusters of 60 samples" in done.stdout
    assert str(out / "labels.csv") in done.stdout
    assert [word for word in ("reading", "anchors", "writing") if word not in done.stderr] == []


def _as_tsv(columns, folder):
    return [write_csv(folder / f"{name}.tsv", own, delimiter="\t") for name, own in columns.items()]


def _as_parquet(columns, folder):
    folder.mkdir()
    for name, own in columns.items():
        pa.parquet.write_table(pa.table(own), folder / f"{name}.parquet")
    return sorted(folder.iterdir())


def _as_excel(columns, folder):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, own in columns.items():
        sheet = book.create_sheet(name)
        for row in [list(own), *zip(*own.values(), strict=True)]:
            sheet.append(row)
    folder.mkdir()
    book.save(folder / "book.xlsx")
    return [folder / "book.xlsx"]


def _as_one_table(columns, folder):
    whole = {"sample": columns["image"]["sample"]}
    for name, own in columns.items():
        whole |= {f"{name}:{key}": values for key, values in own.items() if key != "sample"}
    return [write_csv(folder / "one.csv", whole), "--views", "prefix:"]


@pytest.mark.parametrize("write", [_as_tsv, _as_parquet, _as_excel, _as_one_table])
def test_every_table_gives_the_same_clusters(write, columns, clustered, run, tmp_path):
    words = write(columns, tmp_path / "data")
    assert run("cluster", *words, "--id", "sample", "--out", tmp_path / "r", *FAST).exit_code == 0
    assert clusters(tmp_path / "r" / "labels.csv") == clusters(clustered[0] / "labels.csv")


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".h5mu", ""])
def test_every_container_gives_the_same_clusters(suffix, tables, clustered, run, tmp_path):
    write_views(read_views(tables, id_column="sample"), tmp_path / f"data{suffix}")
    assert run("cluster", tmp_path / f"data{suffix}", "--out", tmp_path / "r", *FAST).exit_code == 0
    assert clusters(tmp_path / "r" / "labels.csv") == clusters(clustered[0] / "labels.csv")


def test_json_is_all_that_is_printed(tables, run, tmp_path):
    result = run("cluster", tables, "--id", "sample", "-k", 3, "--no-report", "--json", "--out", tmp_path / "r")
    assert result.stderr == ""
    assert json.loads(result.stdout) == json.loads((tmp_path / "r" / "run.json").read_text())


def test_quiet_prints_nothing(tables, run, tmp_path):
    result = run("cluster", tables, "--id", "sample", "--out", tmp_path / "new" / "r", *FAST)
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "new" / "r").is_dir()


def test_categories_and_truths_are_encoded_and_said(changed, run, tmp_path):
    files = changed(image=lambda own: own | {"stage": ["I", "II"] * 30, "smokes": ["true", "false"] * 30})
    words = ("--id", "sample", "-k", 3, "--no-report", "--out", tmp_path / "r")
    result = run("cluster", *files, "--categorical", "stage", *words)
    assert result.exit_code == 0, result.output
    assert "note: View 'image': the categories of column 'stage' became 2 columns." in result.stderr
    facts = json.loads((tmp_path / "r" / "run.json").read_text())
    assert facts["views"]["image"] == 7
    assert len(facts["notes"]) == 2


def test_dropped_columns_of_a_folder_change_nothing(changed, clustered, run, tmp_path):
    files = changed(image=lambda own: own | {"note": [f"free text {i}" for i in range(60)]})
    words = ("--id", "sample", "--drop", "note", "--out", tmp_path / "r", *FAST)
    assert run("cluster", files[0].parent, *words).exit_code == 0
    assert clusters(tmp_path / "r" / "labels.csv") == clusters(clustered[0] / "labels.csv")


@pytest.mark.parametrize(("join", "count"), [("inner", 58), ("outer", 60)])
def test_join_keeps_common_or_all_samples(join, count, changed, run, tmp_path):
    files = changed(image=lambda own: {key: values[2:] for key, values in own.items()})
    assert run("cluster", *files, "--id", "sample", "--join", join, "--out", tmp_path / "r", *FAST).exit_code == 0
    assert len(read_csv(tmp_path / "r" / "labels.csv")) == count


def test_known_classes_and_metadata_reach_the_report(changed, columns, run, tmp_path):
    files = changed()
    ids = columns["image"]["sample"][::-1]
    write_csv(files[0].parent / "labels.csv", {"sample": ids, "label": [i % 3 for i in range(60)]})
    about = write_csv(tmp_path / "about.csv", {"sample": ids[:59], "age": range(59)})
    words = ("--id", "sample", "-k", 3, "--metadata", about, "--out", tmp_path / "r", "-q")
    result = run("cluster", files[0].parent, *words)
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "r" / "report.json").read_text())
    assert facts["scores"] is not None
    assert "age" in json.dumps(facts)


@pytest.mark.parametrize("method", ["SemiNTF", "SemiNTF.paper", "GMC"])
def test_other_methods(method, tables, run, tmp_path):
    words = ("--method", method, "--id", "sample", "--out", tmp_path / "r", *FAST)
    assert run("cluster", tables, *words).exit_code == 0
    assert json.loads((tmp_path / "r" / "run.json").read_text())["method"] == method.partition(".")[0]


def test_a_method_that_cannot_choose_k_gets_the_chosen_one(tables, run, tmp_path):
    words = ("--method", "GMC", "--id", "sample", "-q", "--no-report", "--out", tmp_path / "r")
    assert run("cluster", tables, *words).exit_code == 0
    assert json.loads((tmp_path / "r" / "run.json").read_text())["n_clusters"] == 3


def test_stability_and_what_to_doubt_are_shown(tables, run, tmp_path):
    shown = run("cluster", tables, "--id", "sample", "-k", 30, "--out", tmp_path / "result").stdout
    doubts = json.loads((tmp_path / "result" / "report.json").read_text(encoding="utf-8"))["answer"]["doubts"]
    assert "stability" in shown
    assert doubts
    said = " ".join(shown.split())
    assert [doubt for doubt in doubts if doubt not in said] == []
    assert said.index("What to doubt:") < said.index("Wrote")


def test_one_cluster(tables, run, tmp_path):
    assert run("cluster", tables, "--id", "sample", "-k", 1, "-q", "--out", tmp_path / "r").exit_code == 0
    assert len(clusters(tmp_path / "r" / "labels.csv")) == 1


@pytest.mark.parametrize(
    ("change", "words", "told"),
    [
        (None, (), "column 'sample' looks like ids, which are no features: --id sample matches rows by it"),
        (
            lambda own: {f"x_{j}": values[2:] for j, values in enumerate(own.values()) if j},
            ("--drop", "sample"),
            "changed/sound.csv has 60 rows but changed/image.csv has 58: without ids rows are matched by position",
        ),
        (None, ("--id", "smaple"), "image.csv has no column 'smaple'; its columns are ['sample', 'image_0'"),
        (lambda own: own | {"t": ["x", "y"] * 30}, ("--id", "sample"), "image.csv: column 't' holds text, not numbers"),
        (
            lambda own: own | {"t": ["x", "y"] * 30},
            ("--id", "sample"),
            "take it as categories with --categorical, or, if it holds ids, name it with --id",
        ),
        (lambda own: own | {"day": ["2020-01-01"] * 60}, ("--id", "sample"), "holds dates or times"),
        (
            lambda own: own | {"image_0": ["", *own["image_0"][1:]]},
            ("--id", "sample"),
            "choose --impute mean (or median) for manyview cluster. It is column 'image_0' of sample 's00'",
        ),
        (
            lambda own: {key: values[2:] for key, values in own.items()},
            ("--id", "sample"),
            "image.csv lacks 2 of the 60 ids",
        ),
        (
            lambda own: {key: values[2:] for key, values in own.items()},
            ("--id", "sample"),
            "--join inner keeps the common samples, --join outer lets a sample lack a view",
        ),
        (lambda own: own | {"sample": ["s00", "s00", *own["sample"][2:]]}, ("--id", "sample"), "id 's00' twice"),
        (None, ("--id", "sample", "--drop", "typo"), "--drop typo: there is no such column in"),
        (None, ("--id", "sample", "--categorical", "typo"), "--categorical typo: there is no such column in"),
        (None, ("--id", "sample", "--views", "prefix:"), "--views divides one table, and there are 3"),
        (None, ("--id", "sample", "-k", "three"), "--n-clusters three: give a number of at least 1, or auto"),
        (None, ("--id", "sample", "-k", "61"), "--n-clusters 61 is more than the number of samples, 60"),
        (None, ("--id", "sample", "--method", "gmm"), f"--method gmm: give one of {', '.join(METHODS)}"),
        (None, ("--id", "sample", "--jobs", "0"), "--jobs 0: give a number of threads"),
        (None, ("--id", "sample", "--metadata", "none.csv"), "none.csv: there is no such file"),
    ],
)
def test_what_is_wrong_is_one_line(change, words, told, changed, refused, tmp_path):
    files = changed(**({} if change is None else {"image": change}))
    line = refused("cluster", *files, *words, "--out", tmp_path / "r")
    assert line.startswith("manyview: cannot cluster: ")
    assert told in line.replace(f"{tmp_path}/", "")
    assert [word for word in ("Views.from_tables", "id_column", "n_clusters=", "impute=") if word in line] == []
    assert [path.name for path in tmp_path.iterdir()] == ["changed"]


def test_ids_in_some_files_only(changed, refused, tmp_path):
    files = changed(
        **{name: lambda own: {"id": own.pop("sample")} | own for name in ("image", "sound")},
        words=lambda own: {key: values for key, values in own.items() if key != "sample"},
    )
    line = refused("cluster", *files, "--out", tmp_path / "r")
    assert "Name the column of the ids with --id, or leave it out of all files with --drop." in line


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.csv", None, "there is no such file or folder"),
        ("empty.csv", b"", "is empty"),
        ("open.csv", b'a,b\n"1,2\n', "a quotation mark is never closed"),
        ("bytes.csv", bytes(range(256)), "cannot be read"),
        ("text.txt", b"hello", "cannot read .txt"),
        ("fake.npz", b"PK\x03\x04 no archive", "fake.npz"),
        ("years.csv", b"2000,2001\n1,5\n3,2\n", "say which with --header or --no-header"),
    ],
)
def test_a_wrong_file_is_one_line(name, content, told, refused, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    line = refused("cluster", tmp_path / name, "--out", tmp_path / "r")
    assert line.startswith(f"manyview: cannot cluster: {tmp_path / name}")
    assert told in line


def test_files_that_do_not_go_together(tables, refused, tmp_path):
    savemat(tmp_path / "two.mat", {"X1": np.eye(3), "X2": np.eye(3)})
    image = tables / "image.csv"
    assert "two tables have the same name" in refused("cluster", image, image, "--out", tmp_path / "r")
    assert "read it by itself" in refused(
        "cluster", image, tmp_path / "two.mat", "--id", "sample", "--out", tmp_path / "r"
    )
    assert "leave --id out" in refused("cluster", tmp_path / "two.mat", "--id", "sample", "--out", tmp_path / "r")


def test_header_option_settles_what_a_first_row_is(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [",".join(map(str, row)) for row in rng.integers(0, 50, (40, 2))]
    (tmp_path / "years.csv").write_text("\n".join(["2000,2001", *rows]))
    words = ("cluster", tmp_path / "years.csv", "-k", 2, "-q", "--no-report")
    assert run(*words, "--header", "--out", tmp_path / "a").exit_code == 0
    assert run(*words, "--no-header", "--out", tmp_path / "b").exit_code == 0
    assert [len(read_csv(tmp_path / name / "labels.csv")) for name in "ab"] == [40, 41]


def test_column_map(columns, clustered, run, refused, tmp_path):
    whole = {key: values for own in columns.values() for key, values in own.items()}
    table = write_csv(tmp_path / "one.csv", whole)
    parts = {name: [key for key in own if key != "sample"] for name, own in columns.items()}
    (tmp_path / "map.json").write_text(json.dumps(parts))
    words = ("cluster", table, "--id", "sample", "--out", tmp_path / "r", *FAST, "--views")
    assert run(*words, tmp_path / "map.json").exit_code == 0
    assert clusters(tmp_path / "r" / "labels.csv") == clusters(clustered[0] / "labels.csv")
    words = ("cluster", table, "--id", "sample", "--out", tmp_path / "r2", "--views")
    assert "there is no such file; give 'prefix:'" in refused(*words, tmp_path / "none.json")
    for content, told in (("{", "is not a JSON file"), ("[]", "give an object"), ('{"a": ["typo"]}', "'typo', which")):
        (tmp_path / "map.json").write_text(content)
        assert told in refused(*words, tmp_path / "map.json")
    assert "column 'image_0' has no view before a colon" in refused(*words, "prefix:")


def test_force_replaces_a_result_and_nothing_else(tables, run, refused, tmp_path):
    out = tmp_path / "r"
    out.mkdir()  # an empty folder is a good place
    words = ("cluster", tables, "--id", "sample", "--out", out)
    assert run(*words, *FAST).exit_code == 0
    assert "replace it with --force" in refused(*words)
    before = (out / "run.json").stat().st_mtime_ns
    assert run(*words, *FAST, "--force").exit_code == 0
    assert (out / "run.json").stat().st_mtime_ns != before
    (out / "thesis.txt").write_text("mine")
    assert "holds thesis.txt, which manyview cluster did not write" in refused(*words, "--force")
    (out / "run.json").unlink()
    assert "was not written by manyview cluster" in refused(*words, "--force")
    assert "is not a folder" in refused("cluster", tables, "--out", out / "thesis.txt", "--force")
    assert (out / "thesis.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_in_code_it_is_the_same(tables, clustered, tmp_path):
    result = manyview.cluster(read_views(tables, id_column="sample"), 3)
    result.save(tmp_path / "r", report=False)
    assert clusters(tmp_path / "r" / "labels.csv") == clusters(clustered[0] / "labels.csv")
