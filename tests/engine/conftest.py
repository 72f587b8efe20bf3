"""A cluster of three worker processes and a scheduler, all on this machine."""

import pytest


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed")
    # on a busy machine a killed worker may be back only after the 15 s for which the cluster waits by default
    pytest.importorskip("dask").config.set({"distributed.deploy.lost-worker-timeout": "5 minutes"})
    with distributed.LocalCluster(
        processes=True,
        n_workers=3,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",  # in 2024.8 it is open to every interface by default
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client:
        client.wait_for_workers(3, timeout=300)
        yield client
