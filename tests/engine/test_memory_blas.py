from threadpoolctl import threadpool_limits

from manyview.engine.memory import one_blas_thread
from watching import blas_threads


def test_the_limit_holds_until_the_last_is_out():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            with one_blas_thread():
                assert blas_threads() <= {1}
            assert blas_threads() <= {1}
        assert blas_threads() == before


def test_the_first_may_leave_before_the_second():
    with threadpool_limits(2, user_api="blas"):
        before, first, second = blas_threads(), one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() <= {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before
