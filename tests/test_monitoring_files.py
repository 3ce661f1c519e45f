"""The alert rules and the dashboard in packaging/ use only metrics that a server has."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.support import certificates
from tests.support.cli_runner import Terminal

PACKAGING = Path(__file__).parents[1] / "packaging"
ALERTS = PACKAGING / "prometheus-alerts.yaml"
DASHBOARD = PACKAGING / "grafana-dashboard.json"
METRIC = re.compile(r"\b(?:tertulia|process)_[a-z_]+")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "data").creates_organization()
    yield terminal
    terminal.close()


def scraped(port: int) -> str:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def alert_expressions() -> list[str]:
    return re.findall("expr: (.*)", ALERTS.read_text())


def dashboard_expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def test_every_metric_of_the_rules_and_the_dashboard_exists(terminal):
    (terminal.data / "tertulia.toml").write_text(
        '[[ldap]]\nname = "corp"\nurl = "ldap://127.0.0.1:1"\nbase = "dc=x"\n'
    )
    server = terminal.serves()
    who = terminal.adds("ana")
    server.asks("GET", "/users/me", who=who)

    text = scraped(server.port)

    known = set(re.findall("^([a-z_]+)", text, re.MULTILINE))
    known |= set(re.findall("^# TYPE ([a-z_]+)", text, re.MULTILINE))
    for expression in (*alert_expressions(), *dashboard_expressions()):
        assert set(METRIC.findall(expression)) <= known, expression


def test_labels_of_the_rules_exist(terminal):
    server = terminal.serves()
    who = terminal.adds("ana")
    server.asks("GET", "/users/me", who=who)
    text = scraped(server.port)

    assert re.search(r'^tertulia_requests_total\{.*route="/users/me".*status="200"', text, re.M)
    assert re.search(r'^tertulia_inbound_mails\{result="deferred"\} 0', text, re.M)
    assert re.search(r'^tertulia_outbox_waiting\{transport="mail"\} 0', text, re.M)


def test_failed_logins_and_backups_are_counted(terminal, tmp_path):
    terminal.runs("backup", str(tmp_path / "backup.tar"))
    server = terminal.serves()
    for _ in range(3):
        server.asks("POST", "/fetch_api_key", username="ana@example.com", password="a guess")

    text = scraped(server.port)

    assert "tertulia_failed_logins_total 3.0" in text
    assert 'tertulia_log_warnings_total{event="auth.login_failed"} 3.0' in text


def test_the_rules_have_unique_names_and_a_severity():
    text = ALERTS.read_text()
    names = re.findall("alert: (.*)", text)

    assert len(set(names)) == len(names) == text.count("severity:") == text.count("summary:")
    assert json.loads(DASHBOARD.read_text())["title"] == "Tertulia"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_accepts_the_rules():
    subprocess.run(["promtool", "check", "rules", ALERTS], check=True)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_accepts_the_expressions_of_the_dashboard(tmp_path):
    expressions = [each.replace("$__rate_interval", "5m") for each in dashboard_expressions()]
    rules = [{"record": f"panel:{n}", "expr": each} for n, each in enumerate(expressions)]
    file = tmp_path / "rules.yaml"  # JSON is YAML
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))

    subprocess.run(["promtool", "check", "rules", file], check=True)


def test_health_follows_the_settings(terminal, tmp_path):
    server = terminal.serves()
    port = ["--port", str(server.port)]

    good = terminal.runs("health", *port)
    assert (good.code, good.out) == (0, "The server is healthy; writes: ok.\n")
    shown = json.loads(terminal.runs("health", "--json", *port).out)
    assert (shown["healthy"], shown["problem"], shown["writes"]) == (True, None, "ok")
    server.stops()
    gone = terminal.runs("health", "--json", *port)
    assert gone.code == 1
    assert "does not answer" in json.loads(gone.out)["problem"]
    gone = terminal.runs("health", *port)
    assert gone.code == 1
    assert "does not answer" in gone.err

    certificates.write(tmp_path)
    tls = ["--tls-cert", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key")]
    server = terminal.serves(*tls)
    port = ["--port", str(server.port)]
    assert terminal.runs("health", *port, *tls).code == 0
    assert terminal.runs("health", *port).code == 1, "plain HTTP to a TLS port"


def test_health_finds_the_port_of_the_server_with_this_data(terminal):
    server = terminal.serves()

    good = terminal.runs("health")

    assert (good.code, good.out) == (0, "The server is healthy; writes: ok.\n")
    server.stops()
    assert f"on port {server.port}" in terminal.runs("health").err


def test_the_container_asks_by_its_settings():
    text = (PACKAGING / "Containerfile").read_text()

    assert 'CMD ["tertulia", "health"]' in text
    assert "9009/health" not in text
