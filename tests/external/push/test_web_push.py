"""Web Push: sealed as RFC 8291 shows it, and signed so that others can check it."""

import asyncio
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from tertulia.domain.personal.web_push import PushSubscription, decoded, encoded
from tertulia.external.push import web_push


def test_encryption_matches_the_example_of_the_standard():
    sender = int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")

    sealed = web_push.encrypt(
        b"When I grow up, I want to be a watermelon",
        decoded(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        ),
        decoded("BTBZMqHH6r4Tts7J_aSIgg"),
        ec.derive_private_key(sender, ec.SECP256R1()),
        decoded("DGv6ra1nlYgDCS1FRnbzlw"),
    )

    assert encoded(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS"
        "6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu"
        "lcy4a-fN"
    )


def test_the_vapid_signature_can_be_verified():
    public, private = web_push.new_key()

    text = web_push.authorization("https://push.example.com/x?y", private, "https://c.example", 100)

    token, key = text.removeprefix("vapid t=").split(", k=")
    head, claims, signature = token.split(".")
    assert key == public
    assert json.loads(decoded(claims)) == {
        "aud": "https://push.example.com",
        "exp": 100 + 12 * 3600,
        "sub": "https://c.example",
    }
    r, s = decoded(signature)[:32], decoded(signature)[32:]
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(public))
    point.verify(
        utils.encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big")),
        f"{head}.{claims}".encode(),
        ec.ECDSA(hashes.SHA256()),
    )


def test_a_too_large_push_is_not_sent():
    unreachable = PushSubscription(1, 2, "https://127.0.0.1:1/", "", "")
    text = {"type": "message", "recipient_user_ids": list(range(2000))}

    response = asyncio.run(web_push.push(web_push.PushRequest(unreachable, text), "", "", 0.0))

    assert response.status == web_push.TOO_LARGE
