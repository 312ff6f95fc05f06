#!/usr/bin/env python3
"""Embed pictures by patch and texts by CLIP, for `saccade words` (docs/words.md).

    pip install open_clip_torch pillow
    python3 examples/openclip.py OUT.safetensors --grid 4x6 --texts "a red ball" "a table" -- VIEW.png ...

The model is downloaded by open_clip, not by saccade. Each patch is a crop of the picture, which CLIP sees as a picture
of its own. Vectors have a length of sqrt(T), where T is what CLIP multiplies cosines by, so that exp(q.k) is CLIP's own
measure of how well a patch and a text fit.
"""

import argparse

from embeddings import write


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--grid", default="4x6", help="rows x columns of patches")
    parser.add_argument("--model", default="ViT-B-32")
    parser.add_argument("--weights", default="laion2b_s34b_b79k")
    args = parser.parse_args()

    import open_clip
    import torch
    from PIL import Image

    rows, columns = (int(x) for x in args.grid.split("x"))
    model, _, prepare = open_clip.create_model_and_transforms(args.model, pretrained=args.weights)
    model.eval()
    with torch.no_grad():
        length = model.logit_scale.exp().sqrt()

        def scaled(vectors):
            return (length * vectors / vectors.norm(dim=-1, keepdim=True)).float()

        texts = scaled(model.encode_text(open_clip.get_tokenizer(args.model)(args.texts)))
        patches = []
        for path in args.pictures:
            picture = Image.open(path).convert("RGB")
            high, wide = picture.height / rows, picture.width / columns
            crops = [
                prepare(picture.crop((int(c * wide), int(r * high), int((c + 1) * wide), int((r + 1) * high))))
                for r in range(rows)
                for c in range(columns)
            ]
            patches.append(scaled(model.encode_image(torch.stack(crops))).reshape(rows, columns, -1))
    write(args.out, torch.stack(patches).tolist(), texts.tolist(), args.texts)


if __name__ == "__main__":
    main()
