"""Encrypting small documents for seeds, with the password "secret": AES and RC4 as they are written
down, and what Office and OpenDocument say around them. Nothing but the standard library is used."""
import base64
import hashlib
import hmac
import struct
import zlib

PASSWORD = "secret"
SALT, OTHER_SALT = b"0123456789abcdef", b"fedcba9876543210"
VERIFIER = b"sixteen bytes!!!"


def _boxes():
    box, p, q = [0x63] + [0] * 255, 1, 1
    for _ in range(255):
        p ^= (p << 1 ^ (0x11B if p & 0x80 else 0)) & 0x1FF
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q
        for shift in (1, 2, 3, 4):
            turned ^= (q << shift | q >> (8 - shift)) & 0xFF
        box[p] = turned ^ 0x63
    return box


BOX = _boxes()


def _twice(value):
    return (value << 1 ^ (0x1B if value & 0x80 else 0)) & 0xFF


def _round_keys(key):
    words, count = [list(key[i:i + 4]) for i in range(0, len(key), 4)], len(key) // 4
    power = 1
    for i in range(count, 4 * (count + 7)):
        word = list(words[-1])
        if i % count == 0:
            word = [BOX[b] for b in word[1:] + word[:1]]
            word[0] ^= power
            power = _twice(power)
        elif count > 6 and i % count == 4:
            word = [BOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - count], word)])
    return [sum(words[i:i + 4], []) for i in range(0, len(words), 4)]


def _block(keys, data):
    state = [a ^ b for a, b in zip(data, keys[0])]
    for number, key in enumerate(keys[1:], 2):
        state = [BOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < len(keys):
            mixed = []
            for column in (state[i:i + 4] for i in range(0, 16, 4)):
                every = column[0] ^ column[1] ^ column[2] ^ column[3]
                mixed += [column[i] ^ every ^ _twice(column[i] ^ column[(i + 1) % 4])
                          for i in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def aes(key, start, data):
    """CBC; ECB where `start` is None. Filled with zeros to whole blocks."""
    keys, out = _round_keys(key), b""
    data += b"\0" * (-len(data) % 16)
    for at in range(0, len(data), 16):
        block = data[at:at + 16]
        if start is not None:
            block = bytes(a ^ b for a, b in zip(block, out[-16:] or start))
        out += _block(keys, block)
    return out


assert aes(bytes(range(16)), None, bytes.fromhex("00112233445566778899aabbccddeeff")).hex() == \
    "69c4e0d86a7b0430d8cdb78070b4c55a"


def rc4(key, data):
    s, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) % 256
        s[i], s[j] = s[j], s[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
        out.append(byte ^ s[(s[i] + s[j]) % 256])
    return bytes(out)


def number(n):
    return struct.pack("<I", n)


def sha1(*parts):
    return hashlib.sha1(b"".join(parts)).digest()


def spun(count):
    out = sha1(SALT, PASSWORD.encode("utf-16le"))
    for i in range(count):
        out = sha1(number(i), out)
    return out


def text64(data):
    return base64.b64encode(data).decode()


def agile(archive):
    """AES-128 with SHA-1: the streams of a document."""
    key, secret, spin = b"k" * 16, b"h" * 20, 2
    package = struct.pack("<Q", len(archive))
    for i in range(0, len(archive), 4096):
        package += aes(key, sha1(OTHER_SALT, number(i // 4096))[:16], archive[i:i + 4096])

    def by_password(purpose, plain):
        return text64(aes(sha1(spun(spin), bytes.fromhex(purpose))[:16], SALT, plain))

    def by_key(purpose, plain):
        return text64(aes(key, sha1(OTHER_SALT, bytes.fromhex(purpose))[:16], plain))

    kind = ('blockSize="16" keyBits="128" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" '
            'hashAlgorithm="SHA1"')
    info = (f'<encryption><keyData {kind} saltValue="{text64(OTHER_SALT)}"/><dataIntegrity '
            f'encryptedHmacKey="{by_key("5fb2ad010cb9e1f6", secret)}" encryptedHmacValue="'
            f'{by_key("a0677f02b22c8433", hmac.digest(secret, package, "sha1"))}"/><p:encryptedKey '
            f'spinCount="{spin}" {kind} saltValue="{text64(SALT)}" encryptedVerifierHashInput="'
            f'{by_password("fea7d2763b4b9e79", VERIFIER)}" encryptedVerifierHashValue="'
            f'{by_password("d7aa0f6d3061344e", sha1(VERIFIER))}" encryptedKeyValue="'
            f'{by_password("146e0be7abacd0d6", key)}"/></encryption>')
    return {"EncryptionInfo": b"\4\0\4\0\x40\0\0\0" + info.encode(), "EncryptedPackage": package}


def cryptoapi(algorithm, bits, verifier, digest):
    return (struct.pack("<HHIIIIIIII", 4, 2, 0x24, 36, 0x24, 0, algorithm, 0x8004, bits, 0x18)
            + b"\0" * 8 + b"X\0\0\0" + number(16) + SALT + verifier + number(20) + digest)


def standard(archive):
    """Office 2007: AES-128 with SHA-1."""
    spin = sha1(spun(50000), number(0))
    key = sha1(bytes(a ^ b for a, b in zip(spin.ljust(64, b"\0"), b"\x36" * 64)))[:16]
    return {"EncryptionInfo": cryptoapi(0x660E, 128, aes(key, None, VERIFIER),
                                        aes(key, None, sha1(VERIFIER))),
            "EncryptedPackage": struct.pack("<Q", len(archive)) + aes(key, None, archive)}


def open_document(kind, content):
    """AES-256 with PBKDF2: the members of a document."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    fill = 16 - len(packed) % 16
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(PASSWORD.encode()).digest(), SALT, 9, 32)
    return {
        "mimetype": b"application/vnd.oasis.opendocument." + kind.encode(),
        "META-INF/manifest.xml": (
            f'<m:manifest><m:file-entry m:full-path="content.xml" m:size="{len(content)}">'
            f'<m:encryption-data m:checksum-type="x#sha256-1k" m:checksum="'
            f'{text64(hashlib.sha256(packed[:1024]).digest())}"><m:algorithm m:algorithm-name='
            f'"x#aes256-cbc" m:initialisation-vector="{text64(OTHER_SALT)}"/><m:key-derivation '
            'm:key-derivation-name="PBKDF2" m:key-size="32" m:iteration-count="9" m:salt="'
            f'{text64(SALT)}"/><m:start-key-generation m:start-key-generation-name="x#sha256"/>'
            "</m:encryption-data></m:file-entry></m:manifest>").encode(),
        "content.xml": aes(key, OTHER_SALT, packed + bytes([fill]) * fill),
    }


def key_97(block):
    def md5(data):
        return hashlib.md5(data).digest()

    base = md5((md5(PASSWORD.encode("utf-16le"))[:5] + SALT) * 16)[:5]
    return md5(base + number(block))


def key_128(block):
    return sha1(sha1(SALT, PASSWORD.encode("utf-16le")), number(block))[:16]


def info_97():
    return b"\1\0\1\0" + SALT + rc4(key_97(0), VERIFIER + hashlib.md5(VERIFIER).digest())


def info_128():
    both = rc4(key_128(0), VERIFIER + sha1(VERIFIER))
    return cryptoapi(0x6801, 128, both[:16], both[16:])


def blocks(key, size, data):
    """A stream in blocks, each with its own key."""
    return b"".join(rc4(key(i // size), data[i:i + size]) for i in range(0, len(data), size))
