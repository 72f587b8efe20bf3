import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.geometry.fit import DEFAULT_OPTIONS, SCALES, GeometryOptions, fit_geometry
from manyview.views.blocks import RowBlock

from oracles.whitening_oracle import distances, whitened_scores

N = 120


def dense(table):
    return table.toarray() if sp.issparse(table) else table


def all_tables(geometry, rows, engine):
    """Every table of every geometry, over all rows."""
    return [
        [
            dense(engine.collect(lambda block, g=g, v=v: geometry.table(block, g, v), rows))
            for v in range(len(geometry.kinds))
        ]
        for g in range(geometry.n_geometries)
    ]


def counts(rng, n=N, width=60, density=0.05):
    return np.where(rng.random((n, width)) < density, rng.poisson(2, (n, width)) + 1, 0).astype(float)


def principal(rng, n=N, width=8):
    x = rng.standard_normal((n, width)) @ rng.standard_normal((width, width)) * 5
    x -= x.mean(axis=0)
    return x @ np.linalg.eigh(x.T @ x)[1]


@pytest.fixture
def data():
    """One view of each kind."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((N, 3))
    signed = base @ rng.standard_normal((3, 6)) + 0.3 * rng.standard_normal((N, 6)) + 4
    histogram = np.abs(base @ rng.standard_normal((3, 7)))
    return {"words": counts(rng), "scores": principal(rng), "signed": signed - 6, "histogram": histogram}


def test_the_kind_of_every_view_is_seen_from_the_data(cut, data):
    geometry = fit_geometry(*cut(data))
    assert geometry.kinds == ("sparse counts", "principal scores", "measurements", "measurements")
    assert geometry.n_geometries == 2


def test_the_automatic_rule_is_the_documented_one(cut, data):
    rows, engine = cut(data)
    (_, scores, z, z_histogram), (_, scores_again, centered, hellinger) = all_tables(
        fit_geometry(rows, engine, equalize=False), rows, engine
    )
    centered_scores = data["scores"] - data["scores"].mean(axis=0)
    unit = whitened_scores(centered_scores / np.linalg.norm(centered_scores, axis=1, keepdims=True))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    assert_allclose(distances(scores), distances(unit), atol=1e-8)
    assert_array_equal(scores_again, scores)
    for table, name in ((z, "signed"), (z_histogram, "histogram")):
        x = data[name]
        expected = np.clip((x - x.mean(axis=0)) / x.std(axis=0), -3, 3)
        assert_allclose(distances(table), distances(whitened_scores(expected)), atol=1e-8)
    assert_allclose(distances(centered), distances(whitened_scores(data["signed"])), atol=1e-8)
    shares = np.sqrt(data["histogram"] / data["histogram"].sum(axis=1, keepdims=True))
    assert_allclose(distances(hellinger), distances(whitened_scores(shares)), atol=1e-8)


def test_few_columns_are_not_words_however_sparse(cut):
    rng = np.random.default_rng(0)
    assert fit_geometry(*cut([counts(rng, width=2)])).kinds == ("measurements",)
    assert fit_geometry(*cut([counts(rng, width=3)])).kinds == ("sparse counts",)


def test_sparse_format_alone_does_not_make_words(cut):
    full = sp.csr_array(np.random.default_rng(0).random((N, 5)))
    assert fit_geometry(*cut([full])).kinds == ("measurements",)


@pytest.mark.parametrize("scale", SCALES)
def test_a_sparse_view_has_the_distances_of_its_dense_copy(cut, data, scale):
    dense_rows, engine = cut(data)
    sparse_rows, _ = cut({name: sp.csr_array(table) for name, table in data.items()})
    ours = all_tables(fit_geometry(sparse_rows, engine, scale=scale, equalize=False), sparse_rows, engine)
    theirs = all_tables(fit_geometry(dense_rows, engine, scale=scale, equalize=False), dense_rows, engine)
    for tables, others in zip(ours, theirs, strict=True):
        for table, other in zip(tables, others, strict=True):
            differences = [x - x[:1] for x in (table, other)]  # a common shift does not matter
            assert_allclose(*differences, atol=1e-7)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("block_rows", [1, 50, N])
def test_blocks_of_any_size_give_the_same_geometry(cut, data, scale, block_rows):
    rows, engine = cut(data)
    other_rows, other_engine = cut(data, block_rows)
    geometry, other = (fit_geometry(r, e, scale=scale) for r, e in ((rows, engine), (other_rows, other_engine)))
    assert other.kinds == geometry.kinds
    assert_allclose(other.lengths, geometry.lengths, rtol=1e-10)
    for tables, others in zip(
        all_tables(geometry, rows, engine), all_tables(other, other_rows, other_engine), strict=True
    ):
        for table, again in zip(tables, others, strict=True):
            assert_allclose(again, table, atol=1e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_every_view_weighs_the_same(cut, data, scale):
    rows, engine = cut(data)
    for tables in all_tables(fit_geometry(rows, engine, scale=scale), rows, engine):
        for table in tables:
            assert_allclose((table**2).sum() / N, 1, rtol=1e-10)


def test_equalizing_can_be_left_out(cut, data):
    rows, engine = cut(data)
    tables = all_tables(fit_geometry(rows, engine, scale="none", equalize=False), rows, engine)[0]
    for table, given in zip(tables, data.values(), strict=True):
        assert_array_equal(table, given)


@pytest.mark.parametrize(
    "scale, formula",
    [
        ("standard", lambda x: (x - x.mean(axis=0)) / x.std(axis=0)),
        ("rows", lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)),
        ("max", lambda x: x / x.max()),
        ("none", lambda x: x),
    ],
)
def test_explicit_scales(cut, data, scale, formula):
    x = data["histogram"]
    rows, engine = cut([x])
    geometry = fit_geometry(rows, engine, scale=scale, equalize=False)
    assert geometry.kinds == (scale,)
    assert_allclose(all_tables(geometry, rows, engine)[0][0], formula(x), atol=1e-12)


@pytest.mark.parametrize("scale", ["auto", "standard", "rows", "max"])
@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_unit_of_a_view_does_not_matter(cut, data, scale, unit):
    rows, engine = cut(data)
    other_rows, _ = cut({name: table * unit for name, table in data.items()})
    geometry, other = (fit_geometry(r, engine, scale=scale) for r in (rows, other_rows))
    assert other.kinds == geometry.kinds
    for tables, others in zip(all_tables(geometry, rows, engine), all_tables(other, other_rows, engine), strict=True):
        for table, again in zip(tables, others, strict=True):
            assert_allclose(again, table, atol=1e-7)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "view",
    [
        np.full((N, 4), 0.1),
        np.zeros((N, 4)),
        np.full((N, 4), -2.0),
        sp.csr_array((N, 9)),
        sp.csr_array(np.ones((N, 4))),
    ],
    ids=["constant", "zero", "negative", "sparse zero", "sparse constant"],
)
def test_a_view_that_says_nothing_is_harmless(cut, scale, view):
    rows, engine = cut([view, np.random.default_rng(0).random((N, 3))])
    for tables in all_tables(fit_geometry(rows, engine, scale=scale), rows, engine):
        assert np.isfinite(tables[0]).all()
        assert_allclose(tables[0], np.broadcast_to(tables[0][:1], tables[0].shape), atol=1e-12)
        assert_allclose((tables[1] ** 2).sum() / N, 1, rtol=1e-10)


def test_constant_columns_change_nothing(cut, data):
    x = data["signed"]
    padded = np.hstack([np.full((N, 1), 0.7), x, np.zeros((N, 2))])
    tables, others = (
        all_tables(fit_geometry(rows, engine, scale="standard"), rows, engine)[0][0]
        for rows, engine in (cut([x]), cut([padded]))
    )
    assert_allclose(others, tables, atol=1e-12)


def test_constant_columns_change_nothing_in_shares(cut):
    x = np.random.default_rng(0).random((N, 5))
    padded = np.hstack([np.full((N, 1), 1e3), x, np.zeros((N, 2))])
    tables, others = (
        all_tables(fit_geometry(rows, engine), rows, engine) for rows, engine in (cut([x]), cut([padded]))
    )
    for table, other in zip(tables, others, strict=True):
        assert_allclose(other[0] @ other[0].T, table[0] @ table[0].T, atol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_fitted_scaling_is_reused_for_new_rows(cut, data, scale):
    rows, engine = cut(data)
    geometry = fit_geometry(rows, engine, scale=scale)
    old = all_tables(geometry, rows, engine)
    stranger = [np.full((1, table.shape[1]), 50.0) for table in data.values()]  # must not move the others
    chosen = [7, 100, 3]
    block = RowBlock(
        0, tuple(np.vstack([table[chosen], new]) for table, new in zip(data.values(), stranger, strict=True))
    )
    for g, tables in enumerate(old):
        for v, table in enumerate(tables):
            assert_allclose(dense(geometry.table(block, g, v))[:3], table[chosen], atol=1e-10)


def test_the_data_are_never_changed(cut, data):
    given = {name: sp.csr_array(table) if name == "words" else table.copy() for name, table in data.items()}
    rows, engine = cut(given)
    for scale in SCALES:
        all_tables(fit_geometry(rows, engine, scale=scale), rows, engine)
    for name, table in data.items():
        assert_array_equal(dense(given[name]), table)


# absent rows


def test_an_empty_row_is_absent_where_another_view_speaks(cut, data):
    data["histogram"][[3, 50]] = 0
    words_too = np.flatnonzero(~data["words"].any(axis=1))
    rows, engine = cut(data)
    geometry = fit_geometry(rows, engine)
    present = np.hstack([geometry.present(block) for block in rows])
    assert_array_equal(np.flatnonzero(~present[3]), [3, 50])
    assert_array_equal(np.flatnonzero(~present[0]), words_too)
    assert present[1:3].all()


def test_when_empty_rows_are_data(cut, data):
    histogram = data["histogram"]
    histogram[[3, 50]] = 0
    least = DEFAULT_OPTIONS.min_filled_rows
    nearly_empty = np.zeros((N, 4))
    nearly_empty[:least] = 1 + np.random.default_rng(0).random((least, 4))
    assert not fit_geometry(*cut([histogram])).empty_rows_absent.any()
    assert not fit_geometry(*cut([histogram, data["signed"]]), scale="rows").empty_rows_absent.any()
    assert not fit_geometry(*cut([nearly_empty, data["signed"]])).empty_rows_absent.any()
    nearly_empty[least] = 1
    assert_array_equal(fit_geometry(*cut([nearly_empty, data["signed"]])).empty_rows_absent, [True, False])


# several views of words


def test_weight_of_the_joint_document(cut):
    rng = np.random.default_rng(0)
    rows, engine = cut([counts(rng), rng.random((N, 3)), counts(rng, width=40)])
    geometry = fit_geometry(rows, engine)
    assert geometry.kinds == ("sparse counts", "measurements", "sparse counts")
    assert [len(words.shift) for words in geometry.words] == [30, 80]
    assert geometry.words[0].words.views == (0, 2)
    for g in range(2):
        table = engine.collect(lambda block, g=g: geometry.word_table(block, g), rows)
        assert_allclose((table**2).sum() / N, 2, rtol=1e-10)


def test_one_sparse_view_needs_no_joint_document(cut, data):
    assert fit_geometry(*cut(data)).words == ()


@pytest.mark.shared
@pytest.mark.parametrize(
    "name, kinds",
    [
        ("webkb203", ["sparse counts"] * 3),
        ("handwritten", ["measurements"] * 6),
        ("proteinfold", ["principal scores"] * 12),
        ("prokaryotic", ["principal scores", "measurements", "principal scores"]),
    ],
)
def test_kinds_of_known_data(cut, shared_views, name, kinds):
    views, _ = shared_views(name)
    assert list(fit_geometry(*cut(views, 4096)).kinds) == kinds


def test_single_precision_is_close_to_double(cut, data):
    rows, engine = cut(data)
    double = all_tables(fit_geometry(rows, engine), rows, engine)
    single = all_tables(fit_geometry(rows, engine, dtype="float32"), rows, engine)
    for g, tables in enumerate(double):
        for v, table in enumerate(tables):
            assert_allclose(np.abs(single[g][v]), np.abs(table), atol=1e-4 * np.abs(table).max())
            assert single[g][v].dtype == np.float32


def test_tables_are_the_same_with_scores_that_are_known(cut):
    rng = np.random.default_rng(3)
    rows, engine = cut([counts(rng), counts(rng), rng.standard_normal((N, 4))])
    geometry = fit_geometry(rows, engine)
    block = rows[1]
    scored = geometry.scored(block)
    assert scored.scores is not None
    assert set(scored.scores) == {(0,), (1,), (0, 1)}
    assert geometry.scored(scored) is scored
    half = scored.take(np.arange(scored.start, scored.start + 5))
    for g in range(2):
        for v in range(3):
            expected = geometry.table(block, g, v)
            assert_array_equal(geometry.table(scored, g, v), expected)
            assert_array_equal(geometry.table(half, g, v), expected[:5])
        assert_array_equal(geometry.word_table(scored, g), geometry.word_table(block, g))


def test_a_block_without_words_is_not_scored(cut):
    rows, engine = cut([np.random.default_rng(0).standard_normal((N, 4))])
    geometry, block = fit_geometry(rows, engine), rows[0]
    assert not geometry.has_words
    assert geometry.scored(block) is block


def test_row_lengths_of_many_rows_are_measured_on_some(cut):
    rng = np.random.default_rng(4)
    rows, engine = cut([rng.standard_normal((N, 5))])
    geometry = fit_geometry(rows, engine, options=GeometryOptions(n_measured_rows=60))
    assert not np.array_equal(geometry.lengths, fit_geometry(rows, engine).lengths)
    table = engine.collect(lambda block: geometry.table(block, 0, 0), rows)
    assert 0.8 < (table**2).sum(axis=1).mean() < 1.25
