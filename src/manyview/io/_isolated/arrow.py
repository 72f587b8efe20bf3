"""Parquet and Feather (Arrow) tables, through pyarrow."""

from __future__ import annotations

from .answer import Answer


def read_parquet(path: str, answer: Answer) -> None:
    """Add the table to the answer."""
    import pyarrow.parquet as pq

    # checksums are optional in the format; where the writer left some they catch a flipped bit
    file = pq.ParquetFile(path, page_checksum_verification=True)
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    answer.require_room(sum(group.total_byte_size for group in groups), "the table")
    table = file.read(use_threads=False)
    answer.add("", answer.table(answer.arrow(table), columns=table.column_names))


def read_feather(path: str, answer: Answer) -> None:
    """Add the table of an Arrow file or stream to the answer."""
    import pyarrow as pa

    with open(path, "rb") as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        if file.read(4) == b"FEA1":
            raise ValueError("it is Feather of version 1; write it again with version 2")
    with pa.OSFile(path) as source:
        table = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source).read_all()
        answer.add("", answer.table(answer.arrow(table), columns=table.column_names))
