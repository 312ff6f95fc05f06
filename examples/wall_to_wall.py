"""TakeCover without looking: walk until a wall stops you, turn round, and so on. What a score there is worth.

    python3 examples/wall_to_wall.py [--skill 4] [--rules released] [--seeds 0..99]

Needs the Python package (docs/python.md) and ViZDoom (make worlds). The player sees nothing of the picture: it is told
where it stands, and that is how it notices a wall.
"""
import argparse
import statistics

import saccade

LEFT, RIGHT = 1, 2


def survive(world: saccade.World, seed: int) -> int:
    """Tics that one episode lasts."""
    world.reset(seed=seed)
    action, here, tics, over = LEFT, world.state()["y"], 0.0, False
    while not over:
        _, reward, terminated, truncated = world.step(action)
        before, here = here, world.state()["y"]
        if here == before:
            action = RIGHT if action == LEFT else LEFT
        tics += reward
        over = terminated or truncated
    return round(tics)


def seeds_of(text: str) -> range:
    """"A..B", both ends included, or one number."""
    first, dots, last = text.partition("..")
    if not first.isdigit() or (dots and not last.isdigit()) or int(last or first) < int(first):
        raise argparse.ArgumentTypeError(f"'{text}', expected A..B with A <= B, or one number")
    return range(int(first), int(last or first) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skill", type=int, default=4, help="Doom's difficulty, 1 to 5; default 4")
    parser.add_argument("--rules", default="released", choices=["released", "vizdoom"])
    parser.add_argument("--seeds", type=seeds_of, default="0..99", metavar="A..B",
                        help="episodes, both ends included; default 0..99")
    given = parser.parse_args()
    world = saccade.World("take-cover", rules=given.rules, skill=given.skill, workers=1)
    returns = [survive(world, seed) for seed in given.seeds]
    spread = statistics.stdev(returns) if len(returns) > 1 else 0
    print(f"mean {statistics.mean(returns):.1f}, standard deviation {spread:.1f}, {len(returns)} episodes")


if __name__ == "__main__":
    main()
