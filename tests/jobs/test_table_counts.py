"""Table counts in `/metrics`."""


def test_metrics_report_table_counts(own_chat):
    server = own_chat.server
    ana, _, _ = own_chat.people("ana", "ben", "cleo", channels=["kitchen"])
    own_chat.person("echo", bot="generic", owner=ana)
    ana.listens_for("message")
    own_chat.fill(ana, "kitchen", 5)

    server.run_job("numbers")

    found = server.metrics()
    assert found["tertulia_people"] == 3.0
    assert found["tertulia_messages"] == 5.0
    assert found["tertulia_queues"] == 1.0
    assert found["tertulia_log_events"] > 5
    assert found["tertulia_database_bytes"] > 100_000
