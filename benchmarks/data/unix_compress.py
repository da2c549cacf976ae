"""What unix ``compress`` wrote: files that end in .Z, for which Python has no decoder."""

CLEAR = 256


def first_table():
    """Return the strings of the codes before any is learned; CLEAR stands for none."""
    return [bytes([code]) for code in range(256)] + [b""]


def uncompress(data):
    """Return the bytes that were compressed.

    Codes have 9 bits at first and come in groups of eight; when the table of strings is
    full for a width, or is cleared, the rest of the group is padding.
    """
    if data[:2] != b"\x1f\x9d" or len(data) < 3 or not data[2] & 128:
        raise ValueError("it was not written by compress, or is damaged at its beginning")
    widest = data[2] & 31
    output, table, width, previous, position = [], first_table(), 9, b"", 3
    while position < len(data):
        group = data[position : position + width]
        position += width
        bits = int.from_bytes(group, "little")
        for i in range(8 * len(group) // width):
            code = bits >> (i * width) & ((1 << width) - 1)
            if code == CLEAR:
                table, width, previous = first_table(), 9, b""
                break
            if code > len(table) or (code == len(table) and not previous):
                raise ValueError("it is damaged: a code comes before what it stands for")
            string = table[code] if code < len(table) else previous + previous[:1]
            output.append(string)
            if previous and len(table) < 1 << widest:
                table.append(previous + string[:1])
            previous = string
            if len(table) == 1 << width and width < widest:
                width += 1
                break
    return b"".join(output)
