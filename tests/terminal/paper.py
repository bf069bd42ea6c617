"""A report worth looking at: a PDF with figures, a chart and a table on each page, for the pictures of the docs."""

WIDTH, HEIGHT = 842, 595
INK, PALE, BLUE, ORANGE, GREY = ".13 .16 .2", ".95 .96 .98", ".2 .43 .75", ".91 .52 .2", ".45 .5 .56"
SHOPS = (("Berlin", 182, 196, 171, 214), ("Lyon", 143, 151, 160, 158), ("Porto", 96, 104, 121, 139),
         ("Gdansk", 71, 69, 88, 97))
QUARTERS = ("Q1", "Q2", "Q3", "Q4")
LINES = (("Berlin had its best quarter, though its third was weak:",
          "one large order moved into the fourth."),
         ("Lyon grew until the third quarter and then held. The new",
          "warehouse opens in March and takes the load off it."),
         ("Porto grew in each quarter and passes Lyon next year,",
          "if the line to Lisbon stays open."),
         ("Gdansk is the smallest shop and the one that grows",
          "fastest; it breaks even for the first time."))


def text(x, y, size, words, colour=INK, bold=False):
    return f"{colour} rg BT /{'B' if bold else 'F'} {size} Tf {x} {y} Td ({words}) Tj ET"


def box(x, y, width, height, colour):
    return f"{colour} rg {x} {y} {width} {height:.1f} re f"


def rule(x, y, width, colour=".8 .83 .87"):
    return f"{colour} RG .6 w {x} {y} m {x + width} {y} l S"


def figures(shop):
    name, *sales = shop
    best = max(sales)
    cards = (("Sales of the year", f"{sum(sales)} k"), ("Best quarter", QUARTERS[sales.index(best)]),
             ("Q4 against Q1", f"{100 * sales[3] // sales[0] - 100:+d} %"))
    for i, (words, number) in enumerate(cards):
        x = 50 + 125 * i
        yield box(x, 400, 112, 62, PALE)
        yield text(x + 12, 441, 9, words, GREY)
        yield text(x + 12, 414, 21, number, BLUE, True)


def chart(sales):
    x, y, height = 460, 250, 190
    yield text(x, 462, 11, "Sales by quarter, thousands", GREY)
    for step in range(0, 250, 50):
        at = y + height * step / 250
        yield rule(x, at, 330)
        yield text(x - 24, at - 3, 9, step, GREY)
    for i, value in enumerate(sales):
        tall = height * value / 250
        yield box(x + 24 + 80 * i, y, 44, tall, ORANGE if value == max(sales) else BLUE)
        yield box(x + 32 + 80 * i, y + tall + 2, 28, 14, "1 1 1")
        yield text(x + 37 + 80 * i, y + tall + 6, 10, value)
        yield text(x + 38 + 80 * i, y - 16, 10, QUARTERS[i], GREY)


def table(current):
    for i, head in enumerate(("Shop", *QUARTERS, "Year")):
        yield text(62 + 125 * i, 190, 10, head, GREY, True)
    yield rule(50, 182, 742, INK)
    for row, (name, *sales) in enumerate(SHOPS):
        y = 162 - 26 * row
        if row == current:
            yield box(50, y - 8, 742, 24, PALE)
        for i, cell in enumerate((name, *sales, sum(sales))):
            yield text(62 + 125 * i, y, 11, cell, INK, row == current)
        yield rule(50, y - 8, 742)


def page(number):
    name, *sales = SHOPS[number]
    yield box(0, 530, WIDTH, 65, BLUE)
    yield text(50, 553, 24, f"{name} in 2025", "1 1 1", True)
    yield text(690, 556, 11, "Annual report", ".85 .9 1")
    yield text(50, 496, 13, "At a glance", INK, True)
    yield from figures(SHOPS[number])
    yield from (text(50, 368 - 18 * i, 11.5, line) for i, line in enumerate(LINES[number]))
    yield text(50, 310, 11.5, "All sums are in thousands, before tax.", GREY)
    yield from chart(sales)
    yield from table(number)
    yield text(50, 34, 9, f"Page {number + 1} of {len(SHOPS)}", GREY)


def report():
    count = len(SHOPS)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>",
               f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{5 + 2 * i} 0 R' for i in range(count))}] >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>"]
    for i in range(count):
        stream = "\n".join(page(i))
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {6 + 2 * i} 0 R "
                       "/Resources << /Font << /F 3 0 R /B 4 0 R >> >> >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return objects
