"""Make the picture of the README again: python doc/readme_picture.py.

It is the figure of the example "An image, row by row", written to
`doc/_static/image-row-by-row.png`, 1,200 pixels wide, without a background. What the
example prints, the numbers in the picture among it, is printed.
"""

import io
import runpy
from pathlib import Path

import figure_style
import matplotlib

HERE = Path(__file__).parent
EXAMPLE = HERE / "examples" / "fixed_number" / "plot_image_row_by_row.py"
PICTURE = HERE / "_static" / "image-row-by-row.png"


def main():
    """Run the example and write its figure."""
    from PIL import Image

    matplotlib.use("Agg")
    figure_style.use()
    figure = runpy.run_path(str(EXAMPLE))["fig"]
    file = io.BytesIO()
    figure.savefig(file, dpi=1200 / figure.get_figwidth())
    *colors, alpha = Image.open(file).split()
    colors = [
        color.point(lambda value: value // 4 * 4) for color in colors
    ]  # half the size
    Image.merge("RGBA", [*colors, alpha]).save(PICTURE, optimize=True)
    print(f"wrote {PICTURE}, {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
