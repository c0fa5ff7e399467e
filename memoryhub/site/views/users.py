"""People who may sign in: made with a password that is shown once, given a role, dismissed. For operators only."""

from __future__ import annotations

import secrets

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memoryhub.common.htmx import ask
from memoryhub.common.permissions import one_operator_at_a_time, operators_only
from memoryhub.community.models import Guild
from memoryhub.models import Role

OPERATOR = "operator"
KINDS = [
    ("auditor", "Auditor: only reads"),
    ("moderator", "Moderator: sees and changes memory"),
    (OPERATOR, "Operator: everything, people, keys and settings too"),
]


class RoleForm(forms.Form):
    """A role, and the guilds that it holds in."""

    kind = forms.ChoiceField(label="Role", choices=KINDS, initial="auditor")
    everywhere = forms.BooleanField(label="In all guilds, also those that come later", required=False)
    guilds = forms.ModelMultipleChoiceField(
        Guild.objects.all(), required=False, label="Or in these guilds", widget=forms.CheckboxSelectMultiple
    )

    def clean(self) -> None:
        """Refuse a role that holds nowhere: who has it would sign in to empty pages."""
        chosen = self.cleaned_data
        if chosen.get("kind") != OPERATOR and not (chosen.get("everywhere") or chosen.get("guilds") or self.errors):
            self.add_error("guilds", "Tick one, or all guilds above: without a guild they would see nothing.")


class PersonForm(RoleForm):
    """The same with a name."""

    username = forms.CharField(label="Name", max_length=80, strip=True)
    field_order = ("username", "kind", "everywhere", "guilds")

    def clean_username(self) -> str:
        """Refuse a name that somebody has: names sign changes, so no two are alike in any case."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError("Somebody has this name already.")
        try:
            User.username_validator(name)
        except forms.ValidationError:
            raise forms.ValidationError("A name has letters, digits and @ . + - _ only, and no spaces.") from None
        return name


@require_safe
@operators_only
def people(request: HttpRequest) -> HttpResponse:
    """List who may sign in, with what they may do and where."""
    rows = []
    for user in User.objects.select_related("role").prefetch_related("role__guilds").order_by("username"):
        role: Role | None = getattr(user, "role", None)
        if user.is_superuser:
            kind, where = "Operator", "everywhere"
        elif role is None:
            kind, where = "No role", "nowhere"
        else:
            guilds = ", ".join(str(guild) for guild in role.guilds.all()) or "nowhere yet"
            kind, where = role.kind.capitalize(), "everywhere" if role.everywhere else guilds
        rows.append({"user": user, "kind": kind, "where": where})
    return render(request, "memoryhub/people.html", {"people": rows, "form": PersonForm(label_suffix="")})


@require_POST
@operators_only
@sensitive_variables("password")
def add_person(request: HttpRequest) -> HttpResponse:
    """Make an account with a password that is shown this one time."""
    form = PersonForm(request.POST, label_suffix="")
    if not form.is_valid():
        return render(request, "memoryhub/add_person.html", {"form": form}, status=422)
    password = secrets.token_urlsafe(12)
    with transaction.atomic():
        user = User.objects.create_user(form.cleaned_data["username"], password=password)
        _give_role(user, form)
    return render(request, "memoryhub/person_added.html", {"person": user, "password": password})


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def change_role(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what somebody may do; nobody takes their own rights away, so that an operator is always left."""
    user = get_object_or_404(User, pk=pk)
    role: Role | None = getattr(user, "role", None)
    initial: dict[str, object] = {"kind": OPERATOR if user.is_superuser else "auditor"}
    if role is not None and not user.is_superuser:
        initial = {"kind": role.kind, "everywhere": role.everywhere, "guilds": role.guilds.all()}
    form = RoleForm(request.POST or None, label_suffix="", initial=initial)
    if request.method == "POST" and user == request.user:
        messages.error(request, "Your own role is another operator’s to change.")
    elif request.method == "POST" and form.is_valid():
        with one_operator_at_a_time(request.user):
            _give_role(user, form)
        messages.success(request, f"{user.get_username()} has a new role.")
    else:
        context = {"form": form, "person": user}
        return render(request, "memoryhub/change_role.html", context, status=422 if form.errors else 200)
    return redirect("people")


def _give_role(user: User, form: forms.Form) -> None:
    chosen = form.cleaned_data
    user.is_superuser = user.is_staff = chosen["kind"] == OPERATOR
    user.save(update_fields=["is_superuser", "is_staff"])
    if user.is_superuser:
        Role.objects.filter(user=user).delete()
        return
    role, _ = Role.objects.update_or_create(
        user=user, defaults={"kind": chosen["kind"], "everywhere": chosen["everywhere"]}
    )
    role.guilds.set(chosen["guilds"])


@require_POST
@operators_only
def dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Close an account, or open it again; its name stays in the histories."""
    user = get_object_or_404(User, pk=pk)
    if user == request.user:
        messages.error(request, "Your own account is another operator’s to close.")
    else:
        user.is_active = not user.is_active
        with one_operator_at_a_time(request.user):
            user.save(update_fields=["is_active"])
        state = "may sign in again" if user.is_active else "is signed out and can’t come back"
        messages.success(request, f"{user.get_username()} {state}.")
    return redirect("people")


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
@sensitive_variables("password")
def new_password(request: HttpRequest, pk: int) -> HttpResponse:
    """Give somebody a new password after a question, shown this one time; their sessions end."""
    user = get_object_or_404(User, pk=pk)
    if request.method != "POST":
        return ask(
            request, f"Give {user.get_username()} a new password?",
            "The old one opens nothing any more, and they are signed out everywhere. The new one is shown once.",
            button="Make a new password", back="people",
        )  # fmt: skip
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    return render(request, "memoryhub/person_added.html", {"person": user, "password": password})
