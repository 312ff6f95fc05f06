DOCS: dict[str, str]
MUJOCO: str
