"""A contract of import-linter: modules that only their own package imports, such as the SQL of a feature.

The contracts that import-linter brings compare lists of modules; which package a module is in, none of them asks.
"""

from typing import Any

from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.helpers import module_expressions_to_modules


class PrivateContract(Contract):
    """Modules that match ``private_modules`` are imported within the package that they are in, and nowhere else."""

    private_modules = fields.ListField(subfield=fields.ModuleExpressionField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:  # import-linter's form
        found = []
        for module in module_expressions_to_modules(graph, self.private_modules, as_packages=False):  # type: ignore[arg-type]  # a field gives its value
            own = module.name.rpartition(".")[0]
            for imported in {module.name, *graph.find_descendants(module.name)}:
                importers = graph.find_modules_that_directly_import(imported)
                found += [f"{one} imports {imported}" for one in importers if not f"{one}.".startswith(f"{own}.")]
        return ContractCheck(kept=not found, metadata={"found": sorted(found)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for sentence in check.metadata["found"]:
            output.print_error(sentence)
