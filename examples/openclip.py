#!/usr/bin/env python3
"""Embed pictures by patch and texts by CLIP, for `saccade words` and for a robot that searches (docs/words.md).

    pip install open_clip_torch pillow
    python3 examples/openclip.py OUT.safetensors --grid 4x6 --texts "a red ball" "a table" -- VIEW.png ...

The model is downloaded by open_clip, not by saccade. Each patch is a crop of the picture, which CLIP sees as a picture
of its own. Vectors have a length of sqrt(T), where T is what CLIP multiplies cosines by, so that exp(q.k) is CLIP's own
measure of how well a patch and a text fit. In examples/named_rooms.py, `Clip()` takes the place of `Colours()`, with a
grid of 6, say, and with an option `sure` of the finder that suits CLIP's cosines, which are near 0.25 where they fit.
"""

import argparse


class Clip:
    """size: numbers of an embedding; patches and texts as examples/named_rooms.py asks for them."""

    def __init__(self, model="ViT-B-32", weights="laion2b_s34b_b79k"):
        import open_clip

        self.model, _, self.prepare = open_clip.create_model_and_transforms(model, pretrained=weights)
        self.model.eval()
        self.tokens = open_clip.get_tokenizer(model)
        self.size = self.texts(["a thing"]).shape[1]

    def _scaled(self, vectors):
        length = self.model.logit_scale.exp().sqrt()
        return (length * vectors / vectors.norm(dim=-1, keepdim=True)).float().numpy()

    def texts(self, texts):
        """[texts, size]"""
        import torch

        with torch.no_grad():
            return self._scaled(self.model.encode_text(self.tokens(texts)))

    def patches(self, picture, rows, columns):
        """[rows * columns, size] of a picture of bytes, [height, width, 3]."""
        import torch
        from PIL import Image

        picture = Image.fromarray(picture)
        high, wide = picture.height / rows, picture.width / columns
        crops = [
            self.prepare(picture.crop((int(c * wide), int(r * high), int((c + 1) * wide), int((r + 1) * high))))
            for r in range(rows)
            for c in range(columns)
        ]
        with torch.no_grad():
            return self._scaled(self.model.encode_image(torch.stack(crops)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--grid", default="4x6", help="rows x columns of patches")
    parser.add_argument("--model", default="ViT-B-32")
    parser.add_argument("--weights", default="laion2b_s34b_b79k")
    args = parser.parse_args()

    import numpy as np
    from embeddings import write
    from PIL import Image

    clip = Clip(args.model, args.weights)
    rows, columns = (int(x) for x in args.grid.split("x"))
    pictures = [np.asarray(Image.open(path).convert("RGB")) for path in args.pictures]
    patches = [clip.patches(picture, rows, columns).reshape(rows, columns, -1).tolist() for picture in pictures]
    write(args.out, patches, clip.texts(args.texts).tolist(), args.texts)


if __name__ == "__main__":
    main()
