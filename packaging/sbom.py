"""Writes what the extension and the wheel contain as a CycloneDX document.

usage: sbom.py FILE
"""

import os
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

from crates import Crate, all_linked, version
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

LICENCES = LicenseFactory()


def component(crate: Crate) -> Component:
    """Describe a crate as CycloneDX does."""
    name = f"{crate.name}@{crate.version}"
    links = []
    if crate.repository:
        kind = ExternalReferenceType.VCS
        links.append(ExternalReference(type=kind, url=XsUri(crate.repository)))
    return Component(
        type=ComponentType.LIBRARY,
        name=crate.name,
        version=crate.version,
        bom_ref=name,
        purl=None if crate.ours else PackageURL("cargo", name=crate.name, version=crate.version),
        licenses=[LICENCES.make_from_string(crate.licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=crate.sum)] if crate.sum else [],
        external_references=links,
    )


def main(target: Path) -> None:
    """Write the document; its number and its date follow from the commit, not from the clock."""
    crates = all_linked()
    bom = Bom()
    whole = Component(
        type=ComponentType.LIBRARY,
        name="toolwire",
        version=version(),
        bom_ref="toolwire",
        licenses=[LICENCES.make_from_string("MIT OR Apache-2.0")],
    )
    bom.metadata.component = whole
    bom.metadata.timestamp = datetime.fromtimestamp(
        int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc
    )
    components = {(crate.name, crate.version): component(crate) for crate in crates}
    bom.components.update(components.values())
    bom.register_dependency(whole, [components[c.name, c.version] for c in crates if c.ours])
    for crate in crates:
        bom.register_dependency(
            components[crate.name, crate.version], [components[need] for need in crate.needs]
        )
    contents = "\n".join(f"{crate.name} {crate.version} {crate.sum}" for crate in crates)
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"toolwire {version()}\n{contents}")
    target.write_text(JsonV1Dot6(bom).output_as_string(indent=1) + "\n", encoding="utf-8")
    print(f"sbom: {len(components)} components")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
