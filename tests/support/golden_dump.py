"""An export as text, to be compared with a golden file."""

from tertulia.transfer.model import MARK, Source


def dump(source: Source) -> str:
    """All records of an export, with references as `{kind key}`."""
    lines = [f"{source.kind}: {source.name}"]
    for person in source.people():
        flags = "bot " * person.is_bot + "inactive " * (not person.is_active)
        lines.append(f"person {person.key}: {person.name} {person.email} {flags}".rstrip())
    for folder in source.folders():
        lines.append(f"folder {folder.key}: {folder.name}")
    for channel in source.channels():
        privacy = "private" if channel.is_private else "public"
        about = f"{channel.name} ({privacy}) {channel.description!r} in {channel.folder or '-'}"
        lines.append(f"channel {channel.key}: {about}, members {', '.join(channel.members)}")
    profiles = source.profile_data()
    lines += [f"emoji {each.key}: {each.name}" for each in profiles.emoji]
    lines += [f"picture of {each.person}" for each in profiles.avatars]
    for group in profiles.groups:
        lines.append(f"group {group.key}: {group.name}, members {', '.join(group.members)}")
    for file in source.files():
        with file.open() as contents:
            size = len(contents.read())
        lines.append(f"file {file.key}: {file.name} of {file.owner}, {size} bytes")
    for message in source.messages():
        place = f"{message.channel} > {message.topic}" if message.channel else message.people
        edited = "" if message.edited_at is None else f", edited {message.edited_at:.0f}"
        lines += ["", f"{message.at:.3f} {message.sender} to {place}{edited}"]
        pieces = message.text.split(MARK)
        text = "".join(f"{{{each}}}" if i % 2 else each for i, each in enumerate(pieces))
        lines += [f"    {line}".rstrip() for line in text.split("\n")]
        lines += [f"    file {key}" for key in message.files]
        lines += [
            f"    reaction {each.person} {each.name} {each.code} {each.type}".rstrip()
            for each in message.reactions
        ]
    counts = source.counts()
    lines += ["", "left out:"]
    for kind, reasons in sorted(counts.dropped.items()):
        lines += [f"    {number} {kind} {reason}" for reason, number in sorted(reasons.items())]
    return "\n".join([*lines, *(f"warning: {each}" for each in counts.warnings)]) + "\n"
