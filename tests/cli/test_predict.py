"""manyview predict: files matched to the views of the fit, and one line where they do not fit it."""

import json
import subprocess

import pytest

from .conftest import clusters, read_csv, write_csv


@pytest.fixture(scope="session")
def model(clustered):
    return clustered[0] / "model.manyview"


def test_program_gives_the_labels_of_the_fit(clustered, model, tables, program, tmp_path):
    command = [program, "predict", model, *sorted(tables.iterdir()), "--id", "sample", "--out", tmp_path / "new.csv"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    labels = {row["id"]: row["label"] for row in read_csv(clustered[0] / "labels.csv")}
    assert {row["id"]: row["label"] for row in read_csv(tmp_path / "new.csv")} == labels
    assert "Labeled 60 samples" in done.stdout


def test_columns_are_matched_by_name_and_samples_may_lack_views(clustered, model, changed, run, tmp_path):
    files = changed(
        image=lambda own: dict(reversed(own.items())),
        sound=lambda own: {key: values[5:] for key, values in own.items()},
    )
    result = run("predict", model, *files[::-1], "--id", "sample", "--out", tmp_path / "new.csv", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    facts = json.loads(result.stdout)
    assert (facts["n_samples"], facts["without"], sum(facts["clusters"].values())) == (60, [], 60)
    assert clusters(tmp_path / "new.csv") == clusters(clustered[0] / "labels.csv")


def test_a_view_without_a_file_is_noted(model, tables, run, tmp_path):
    result = run("predict", model, tables / "image.csv", "--id", "sample", "--out", tmp_path / "new.csv")
    assert result.exit_code == 0
    assert "note: there is no file for the view 'sound': samples are labeled by the others" in result.stderr
    assert len(read_csv(tmp_path / "new.csv")) == 60


@pytest.mark.parametrize(
    ("change", "words", "told"),
    [
        (None, (), "has the column 'sample', which the fit did not have"),
        (
            lambda own: own | {"extra": range(60)},
            ("--id", "sample"),
            "image.csv: has the column 'extra', which the fit",
        ),
        (None, ("--id", "sample", "--drop", "image_1"), "image.csv: lacks the column 'image_1' of the fit"),
        (
            lambda own: {key.replace("image_1", "other"): values for key, values in own.items()},
            ("--id", "sample"),
            "image.csv: lacks the column 'image_1' of the fit, and has the column 'other'",
        ),
        (
            lambda own: own | {"image_0": ["", *own["image_0"][1:]]},
            ("--id", "sample"),
            "choose --impute mean (or median) for manyview cluster",
        ),
        (lambda own: own | {"image_0": ["x"] * 60}, ("--id", "sample"), "image.csv: column 'image_0' holds text"),
    ],
)
def test_what_does_not_fit_is_one_line(change, words, told, model, changed, refused, tmp_path):
    files = changed(**({} if change is None else {"image": change}))
    assert told in refused("predict", model, *files, *words, "--out", tmp_path / "new.csv")
    assert not (tmp_path / "new.csv").exists()


def test_files_of_other_names(model, tables, columns, run, refused, tmp_path):
    odd = write_csv(tmp_path / "odd.csv", columns["image"])
    words = ("--id", "sample", "--out", tmp_path / "new.csv")
    line = refused("predict", model, odd, tables / "sound.csv", *words)
    assert line.endswith("odd.csv: is none of the views of the fit, image, sound, words: name files like them")
    renamed = [write_csv(tmp_path / f"{v}.csv", own) for v, own in enumerate(columns.values())]
    assert run("predict", model, *renamed, *words).exit_code == 0  # none is known: by their order
    line = refused("predict", model, *renamed[::-1], "--id", "sample", "--out", tmp_path / "other.csv")
    assert "2.csv: lacks the column 'image_0' and 3 more of the fit, and has the column 'words_0'" in line


def test_wrong_models(tables, run, refused, tmp_path):
    words = (tables / "image.csv", "--id", "sample", "--out", tmp_path / "new.csv")
    assert "there is no such file" in refused("predict", tmp_path / "none.manyview", *words)
    assert "was not written by manyview" in refused("predict", tables / "image.csv", *words)
    made = ("--id", "sample", "--method", "GMC", "-k", 3, "-q", "--no-report", "--out", tmp_path / "r")
    assert run("cluster", tables, *made).exit_code == 0
    line = refused("predict", tmp_path / "r" / "model.manyview", *words)
    assert line.endswith("model.manyview: GMC cannot label new samples")


def test_nothing_but_labels_is_replaced(model, tables, run, refused, tmp_path):
    out = tmp_path / "new.csv"
    words = ("predict", model, tables, "--id", "sample", "-q", "--out")
    assert run(*words, out).exit_code == 0
    assert "replace it with --force" in refused(*words, out)
    assert run(*words, out, "--force").exit_code == 0
    out.write_text("id,age\n1,2\n")
    assert "is no file of labels" in refused(*words, out, "--force")
    assert "is not a file" in refused(*words, tmp_path, "--force")
    assert out.read_text() == "id,age\n1,2\n"


def test_categories_of_the_fit_are_encoded_alike(changed, run, refused, tmp_path):
    files = changed(image=lambda own: own | {"stage": ["I", "II", "III"] * 20})
    words = ("--id", "sample", "-k", 3, "-q", "--no-report", "--out", tmp_path / "r")
    assert run("cluster", *files, "--categorical", "stage", *words).exit_code == 0
    model = tmp_path / "r" / "model.manyview"
    words = ("--id", "sample", "-q", "--out", tmp_path / "new.csv")
    assert run("predict", model, *files, *words).exit_code == 0  # the text is known to be categories
    assert clusters(tmp_path / "new.csv") == clusters(tmp_path / "r" / "labels.csv")
    words = ("--id", "sample", "--out", tmp_path / "other.csv")
    assert "lacks the column 'stage'" in refused("predict", model, *changed(), *words)


def test_guarded_ids(model, changed, run, tmp_path):
    files = changed(**{name: lambda own: own | {"sample": ["=1+1", *own["sample"][1:]]} for name in ("image", "sound")})
    words = ("--id", "sample", "-q", "--spreadsheet-safe", "--out", tmp_path / "new.csv")
    assert run("predict", model, *files, *words).exit_code == 0
    assert "'=1+1" in [row["id"] for row in read_csv(tmp_path / "new.csv")]
