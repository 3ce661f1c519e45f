"""Report texts that a language lacks, or has translated from other English words than today's.

The server shows them in English. `make check` prints this.
"""

from tertulia import locale

SHOWN = 10


def main() -> None:
    for language in locale.LANGUAGES:
        missing = locale.catalogue(language).missing
        if missing:
            more = ", …" if len(missing) > SHOWN else ""
            print(f"  {language}: {len(missing)} in English: {', '.join(missing[:SHOWN])}{more}")


if __name__ == "__main__":
    main()
