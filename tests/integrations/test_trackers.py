"""The recipes of docs/guide/integrations.md for trackers, where those are installed (`pip install wandb lightning`)."""

import csv
from pathlib import Path
from typing import Any

import pytest

import ladderboard as lb
from tests.guard.guards import labels_of, with_errors

GUIDE = Path(__file__).parents[2] / "docs/guide/integrations.md"
LABELS = labels_of(400)


def run_recipe(heading: str, names: dict[str, Any]) -> None:
    """Run the code under a heading of the guide, as it stands there."""
    section = GUIDE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    exec(section.split("```python\n")[1].split("```")[0], names)


@pytest.fixture
def holdout() -> lb.Holdout:
    return lb.Holdout(LABELS, path=":memory:", seed=1)


@pytest.mark.filterwarnings("ignore")  # of the library
def test_weights_and_biases_gets_what_was_shown(
    holdout: lb.Holdout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb", reason="Weights & Biases is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    names: dict[str, Any] = {"wandb": wandb, "holdout": holdout, "predictions": with_errors(LABELS, 60)}
    run_recipe("Weights & Biases", names)
    assert dict(names["run"].summary["holdout"]) == holdout.history()[0].to_metrics()
    names["run"].finish()
    [written] = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert b"holdout" in written.read_bytes()


@pytest.mark.filterwarnings("ignore")  # of the library
def test_a_logger_of_lightning_gets_what_was_shown(holdout: lb.Holdout, tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning", reason="Lightning is not installed")
    torch = pytest.importorskip("torch")
    rows = torch.tensor(with_errors(LABELS, 60), dtype=torch.float32).reshape(-1, 1)
    data = torch.utils.data.TensorDataset(rows, torch.tensor(LABELS, dtype=torch.float32).reshape(-1, 1))

    class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch: Any) -> Any:
            return torch.nn.functional.binary_cross_entropy_with_logits(self.layer(batch[0]), batch[1])

        def predict_step(self, batch: Any) -> Any:
            return (self.layer(batch[0]).flatten() > 0).int()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=2.0)

    logger = lightning.pytorch.loggers.CSVLogger(tmp_path)
    trainer = lightning.Trainer(max_epochs=3, logger=logger, accelerator="cpu", enable_progress_bar=False)
    loader = torch.utils.data.DataLoader(data, batch_size=64)
    model = Model()
    trainer.fit(model, loader)
    run_recipe(
        "Lightning", {"torch": torch, "trainer": trainer, "model": model, "holdout": holdout, "holdout_loader": loader}
    )
    [last] = list(csv.DictReader((Path(logger.log_dir) / "metrics.csv").read_text(encoding="utf-8").splitlines()))[-1:]
    shown = holdout.history()[0].to_metrics()
    assert shown["improved"] == 1.0
    assert {name: float(last[name]) for name in shown} == shown
