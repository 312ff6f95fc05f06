"""Sensors to tokens: views are read in place, and each is its formula."""
import numpy as np
import pytest
from saccade import tokens


@pytest.fixture
def image(random):
    return random.integers(0, 256, (20, 24, 3), np.uint8)


def cut(image, patch, stride):
    x = np.lib.stride_tricks.sliding_window_view(image, (patch, patch), (0, 1))[::stride, ::stride]
    return x.transpose(0, 1, 3, 4, 2).reshape(x.shape[0] * x.shape[1], -1).T


def test_patches_are_cut_row_by_row(image):
    assert np.allclose(tokens.patches(image, 5, 3), cut(image, 5, 3) / 255, atol=1e-7)
    floats = (image / 7).astype(np.float32)
    assert np.array_equal(tokens.patches(floats, 5, 3), cut(floats, 5, 3))


def test_crops_and_mirrors_are_views(image):
    part = image[3:17, 2:20]
    assert not part.flags.c_contiguous
    assert np.array_equal(tokens.patches(part, 4, 2), tokens.patches(part.copy(), 4, 2))
    assert np.array_equal(tokens.patches(part[::-1], 4, 2), tokens.patches(part[::-1].copy(), 4, 2))
    with pytest.raises(ValueError, match="no gaps within a row"):
        tokens.patches(image[:, ::2], 4, 2)


def test_orders_of_pixels(image):
    plain = tokens.patches(image, 4, 4)
    assert np.array_equal(tokens.patches(np.ascontiguousarray(image[:, :, ::-1]), 4, 4, "bgr"), plain)
    assert np.array_equal(tokens.patches(np.dstack([image, image[:, :, 0]]), 4, 4, "rgbx"), plain)
    assert tokens.patches(image[:, :, 0].copy(), 4, 4).shape == (16, 30)


def test_a_projection_multiplies_patches(image, random):
    weights, bias = random.standard_normal((6, 48), np.float32), random.standard_normal(6, np.float32)
    project = tokens.Projection(20, 24, 3, weights, patch=4, stride=4, bias=bias)
    assert project.grid == tokens.grid(20, 24, 4, 4) and project.grid.size == 30
    x = cut(image, 4, 4) / 255
    expected = weights @ x + bias[:, None]
    step = np.abs(weights).max(1, keepdims=True) / 65534 * x.sum(0)  # the header's bound
    assert np.all(np.abs(project(image) - expected) <= step + 1e-5)
    assert np.allclose(project((image / np.float32(255))), expected, atol=1e-4)
    with pytest.raises(ValueError, match="expected"):
        project(image[:-1])


def test_positions_are_sinusoids():
    encoded = tokens.positions(6, 10)
    p, i = np.arange(10), np.arange(3)[:, None]
    assert np.allclose(encoded[::2], np.sin(p / 10000**(2 * i / 6)), atol=1e-6)
    assert np.allclose(encoded[1::2], np.cos(p / 10000**(2 * i / 6)), atol=1e-6)
    grid = tokens.grid_positions(4, 2, 3)
    assert np.array_equal(grid[:2, 4], tokens.positions(2, 2)[:, 1]) and np.array_equal(grid[2:, 4],
                                                                                        tokens.positions(2, 3)[:, 1])


def test_resizing_is_pillows(image):
    try:
        from PIL import Image
    except ImportError:
        pytest.skip("needs Pillow (scripts/python.sh readers)")
    resize = tokens.Resize(20, 24, 3, 9, 11)
    expected = np.asarray(Image.fromarray(image).resize((11, 9), Image.Resampling.BILINEAR))
    assert np.array_equal(resize(image), expected)


def test_areas_keep_the_mean(image):
    floats = (image / 255).astype(np.float32)
    half = tokens.Resize(20, 24, 3, 10, 12, "area")(floats)
    assert np.allclose(half, floats.reshape(10, 2, 12, 2, 3).mean((1, 3)), atol=1e-6)


def test_depth_images_and_points(random):
    metres = random.uniform(0.1, 5, (6, 8)).astype(np.float32)
    metres[2, 3], metres[0, 0] = np.nan, 0
    depth = tokens.Depth(metres, least=0.5, most=4.0)
    valid = (metres >= 0.5) & (metres <= 4)
    assert np.array_equal(depth.image()[:, :, 1], valid) and np.array_equal(depth.image()[:, :, 0],
                                                                           np.where(valid, metres, 0))
    points, pixels = depth.points((10, 12), (3, 4))
    assert np.array_equal(pixels, np.flatnonzero(valid))
    rows, columns = np.divmod(pixels, 8)
    z = metres.ravel()[pixels]
    assert np.allclose(points, [(columns - 4) * z / 12, (rows - 3) * z / 10, z], rtol=1e-6)
    millimetres = tokens.Depth(np.full((2, 2), 1500, np.uint16), 0, 9)
    assert np.allclose(millimetres.image()[:, :, 0], 1.5)


def test_clouds(random):
    points = random.standard_normal((50, 5), np.float32) * np.float32([1, 5, 1, 1, 1])
    points[7, 1] = np.nan
    cloud = tokens.Cloud(points[:, :4])
    finite = np.delete(points[:, :4], 7, 0)
    assert np.array_equal(cloud.tokens(), finite.T)
    center = cloud.center()
    assert np.allclose(center, finite[:, :3].mean(0), atol=1e-5)
    assert np.allclose(cloud.tokens(center)[:3], finite[:, :3].T - center[:, None], atol=1e-6)
    assert abs(cloud.axis()[1]) > 0.9 and np.linalg.norm(cloud.axis()) == pytest.approx(1, abs=1e-6)
