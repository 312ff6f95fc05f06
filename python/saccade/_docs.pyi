DOCS: dict[str, str]
