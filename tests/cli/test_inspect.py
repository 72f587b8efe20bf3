"""manyview inspect: what is there, what would be done, what to look at."""

import json

from manyview.io import read_views, write_views


def test_clean_tables_need_nothing(tables, run):
    result = run("inspect", tables, "--id", "sample")
    assert result.exit_code == 0
    assert "rows are matched by id: 60 in all views" in result.stdout
    assert "What to look at" not in result.stdout
    cells = [line.split("│")[1:4] for line in result.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in cells] == [
        ["image", "60", "4"],
        ["sound", "60", "5"],
        ["words", "60", "6"],
    ]


def test_everything_odd_is_named(changed, run):
    files = changed(
        image=lambda own: (
            own
            | {
                "stage": ["I", "II"] * 30,
                "smokes": ["true", "false"] * 30,
                "day": ["2020-01-01"] * 60,
                "same": [7] * 60,
            }
        ),
        sound=lambda own: {key: values[5:] for key, values in own.items()},
        words=lambda own: own | {"empty": [""] * 60, "words_0": ["", *own["words_0"][1:]]},
    )
    facts = json.loads(run("inspect", *files, "--id", "sample", "--json").stdout)
    image, sound, words = facts["views"]
    assert (sound["rows"], sound["columns"], sound["ids"]) == (55, 5, "s05, …")
    assert image["done"] == ["the truth values of column 'smokes' become 0 and 1"]
    assert image["look"] == [
        "column 'stage' holds texts, 2 different ones: --categorical, --id or --drop",
        "column 'day' holds dates or times, which cannot be a feature: --drop day",
        "column 'same': the same value in all rows",
    ]
    assert words["done"] == ["column 'empty' without any number will be dropped"]
    assert words["look"] == ["1 cell is missing: fill it with --impute mean or median"]
    assert facts["ids"]["look"] == [
        "55 of 60 ids are in all views: choose --join inner or --join outer",
        "sound lacks 5 of them",
    ]
    taken = run("inspect", *files, "--id", "sample", "--categorical", "stage", "--drop", "day", "--json").stdout
    assert json.loads(taken)["views"][0]["done"][0] == (
        "the 2 categories of column 'stage' become 2 columns of 0 and 1"
    )


def test_infinity_and_columns_of_one_name(run, tmp_path):
    (tmp_path / "odd.csv").write_text("id,a,a,\nx,1,2,\ny,inf,3,\n")  # and a delimiter at the end of every line
    (facts,) = json.loads(run("inspect", tmp_path / "odd.csv", "--json").stdout)["views"]
    assert (facts["columns"], facts["kinds"], facts["ids"]) == (2, "2 number", "x, …")
    assert facts["look"] == ["column 'a' holds infinity: correct it, or leave it out with --drop a"]


def test_an_id_column_that_is_not_named(tables, run):
    shown = run("inspect", tables).stdout
    assert "no ids: rows are matched by position" in shown
    assert "image: column 'sample' looks like ids: --id sample, or leave it out with --drop sample" in shown


def test_containers(tables, run, tmp_path):
    write_views(read_views(tables, id_column="sample"), tmp_path / "data.npz")
    facts = json.loads(run("inspect", tmp_path / "data.npz", "--json").stdout)
    assert {one["view"]: one["columns"] for one in facts["views"]} == {"image": 4, "sound": 5, "words": 6}
    assert len({one["ids"] for one in facts["views"]} - {"none"}) == 1
    assert facts["classes"] is None


def test_no_such_file(refused, tmp_path):
    assert refused("inspect", tmp_path / "none.csv").endswith("none.csv: there is no such file or folder")


def test_options_of_cluster_are_answered(changed, run):
    files = changed(
        sound=lambda own: {key: values[5:] for key, values in own.items()},
        words=lambda own: own | {"words_0": ["", *own["words_0"][1:]]},
    )
    words = ("inspect", *files, "--id", "sample", "--impute", "mean", "--json", "--join")
    for join, kept in (("inner", 55), ("outer", 60)):
        facts = json.loads(run(*words, join).stdout)
        assert facts["ids"]["done"][0] == f"rows are matched by id: {kept} of 60 ids are kept"
        assert facts["ids"]["look"] == facts["views"][2]["look"] == []
        assert facts["views"][2]["done"] == ["missing cells get the mean of their column: 1"]
